#include "src/training/torch/run/rank_state.hpp"

#include <fmt/format.h>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/torch/base/random.hpp"
#include "src/training/torch/run/checkpoint.hpp"

namespace epochcast::libtorch {
namespace {

std::int64_t fingerprint_of(const NamedTensors& tensors) {
  std::uint64_t hash = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto host = tensor.detach().cpu().contiguous();
    hash = 31 * hash + fnv1a({static_cast<const char*>(host.const_data_ptr()), host.nbytes()});
  }
  return static_cast<std::int64_t>(hash);
}

std::int64_t fingerprint_in(const std::string& packed) {
  auto fingerprint = torch::tensor(std::int64_t{0});
  copy_tensors("a rank's state", unpack_tensors(packed), {{"fingerprint", fingerprint}});
  return fingerprint.item<std::int64_t>();
}

}  // namespace

std::string pack_rank_state(const torch::Device& device, const Sums& losses,
                            const NamedTensors& parameters, const NamedTensors& gradients) {
  auto state = random_state(device);
  state.insert(state.end(), gradients.begin(), gradients.end());
  state.emplace_back("loss_sums", losses.tensor());
  state.emplace_back("samples", torch::tensor(losses.samples()));
  state.emplace_back("fingerprint", torch::tensor(fingerprint_of(parameters)));
  return pack_tensors(state);
}

void restore_rank_state(const std::string& path, const std::string& packed,
                        const torch::Device& device, Sums& losses, const NamedTensors& gradients) {
  const auto saved = unpack_tensors(packed);
  auto samples = torch::tensor(std::int64_t{0});
  copy_tensors(path, saved, {{"loss_sums", losses.tensor()}, {"samples", samples}});
  copy_tensors(path, saved, gradients);
  losses.set_samples(samples.item<std::int64_t>());
  set_random_state(saved, device);
}

void check_same_parameters(const std::vector<std::string>& packed) {
  for (std::size_t rank = 1; rank < packed.size(); ++rank) {
    if (fingerprint_in(packed[rank]) != fingerprint_in(packed[0])) {
      throw RunError(fmt::format("the parameters of rank {} differ from those of rank 0", rank));
    }
  }
}

}  // namespace epochcast::libtorch
