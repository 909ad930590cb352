#include "src/training/torch/run/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/pending_file.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"
#include "src/training/torch/base/random.hpp"

namespace epochcast::libtorch {
namespace {

using c10::IValue;
constexpr const char* format_mark = "epochcast checkpoint 1";

IValue packed(const NamedTensors& tensors) {
  c10::Dict<std::string, torch::Tensor> packed;
  for (const auto& [name, tensor] : tensors) {
    packed.insert(name, tensor.detach().cpu().contiguous());
  }
  return packed;
}

NamedTensors unpacked_tensors(const IValue& value) {
  NamedTensors tensors;
  for (const auto& entry : value.toGenericDict()) {
    tensors.emplace_back(entry.key().toStringRef(), entry.value().toTensor());
  }
  return tensors;
}

/// Named so that sorting by name keeps the order.
NamedTensors as_tensors(const std::vector<std::string>& texts) {
  NamedTensors tensors;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto bytes = torch::empty({std::int64_t(texts[i].size())}, torch::kByte);
    std::copy(texts[i].begin(), texts[i].end(), bytes.data_ptr<std::uint8_t>());
    tensors.emplace_back(fmt::format("{:08}", i + 1), bytes);
  }
  return tensors;
}

IValue packed(const Checkpoint& checkpoint) {
  c10::Dict<std::string, std::string> identity;
  for (const auto& parameter : checkpoint.identity) {
    identity.insert(parameter.name, parameter.value);
  }
  c10::impl::GenericDict all(c10::StringType::get(), c10::AnyType::get());
  all.insert("format", format_mark);
  all.insert("identity", identity);
  all.insert("epoch", checkpoint.position.epoch);
  all.insert("iteration", checkpoint.position.iteration);
  all.insert("samples", checkpoint.samples);
  all.insert("epochs_on_target", checkpoint.remembered.epochs_on_target);
  if (checkpoint.remembered.best) {
    all.insert("best_score", *checkpoint.remembered.best);
  }
  all.insert("random", packed(checkpoint.random));
  all.insert("tensors", packed(checkpoint.tensors));
  all.insert("other_ranks", packed(as_tensors(checkpoint.other_ranks)));
  return all;
}

Checkpoint unpacked(const IValue& value) {
  const auto all = value.toGenericDict();
  TORCH_CHECK(all.at("format").toStringRef() == format_mark);
  Checkpoint checkpoint;
  for (const auto& entry : all.at("identity").toGenericDict()) {
    checkpoint.identity.push_back(
        {entry.key().toStringRef(), entry.value().toStringRef(), "text", "1"});
  }
  checkpoint.position = {all.at("epoch").toInt(), all.at("iteration").toInt()};
  checkpoint.samples = all.at("samples").toInt();
  checkpoint.remembered.epochs_on_target = all.at("epochs_on_target").toInt();
  if (all.contains("best_score")) {
    checkpoint.remembered.best = all.at("best_score").toDouble();
  }
  checkpoint.random = unpacked_tensors(all.at("random"));
  checkpoint.tensors = unpacked_tensors(all.at("tensors"));
  for (const auto& [rank, bytes] : unpacked_tensors(all.at("other_ranks"))) {
    checkpoint.other_ranks.emplace_back(bytes.data_ptr<std::uint8_t>(),
                                        bytes.data_ptr<std::uint8_t>() + bytes.numel());
  }
  return checkpoint;
}

/// A zip archive ends with a record of 22 bytes; its last two are the length of the comment after
/// it.
constexpr std::size_t end_record_bytes = 22;
constexpr std::string_view end_record_mark{"PK\5\6", 4};
constexpr std::size_t checksum_bytes = 14;  // "crc32=01234567"

bool ends_with_record(std::string_view zip) {
  return zip.size() >= end_record_bytes &&
         zip.substr(zip.size() - end_record_bytes).starts_with(end_record_mark);
}

std::string zip_checksum(std::string_view zip) {
  return fmt::format("crc32={:08x}", crc32_of(zip));
}

/// Adds the checksum of `zip` as its comment.
void append_checksum(std::string& zip) {
  TORCH_CHECK(ends_with_record(zip), "pickle_save made no zip archive");
  zip[zip.size() - 2] = static_cast<char>(checksum_bytes);
  zip += zip_checksum(zip);
}

/// Whether the content is as it was written, as far as can be checked: earlier versions wrote no
/// checksum.
bool is_intact(std::string_view zip) {
  if (zip.size() < checksum_bytes) {
    return false;
  }
  const auto before = zip.substr(0, zip.size() - checksum_bytes);
  const bool has_checksum = ends_with_record(before) && before.back() == 0 &&
                            before[before.size() - 2] == static_cast<char>(checksum_bytes);
  return has_checksum ? zip.substr(before.size()) == zip_checksum(before) : ends_with_record(zip);
}

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

std::string pack_tensors(const NamedTensors& tensors) {
  const auto bytes = torch::pickle_save(packed(tensors));
  return {bytes.begin(), bytes.end()};
}

NamedTensors unpack_tensors(const std::string& bytes) {
  return unpacked_tensors(torch::pickle_load({bytes.begin(), bytes.end()}));
}

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const auto saved = torch::pickle_save(packed(checkpoint));
  std::string bytes(saved.begin(), saved.end());
  append_checksum(bytes);
  PendingFile file(path);
  file.write(bytes);
  file.replace();
}

Checkpoint read_checkpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(fmt::format("{}: cannot read the checkpoint: {}", path, std::strerror(errno)));
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto refuse = [&] {
    throw Error(fmt::format("{}: is damaged or not a checkpoint of epochcast", path));
  };
  if (!is_intact({bytes.data(), bytes.size()})) {
    refuse();
  }
  try {
    return unpacked(torch::pickle_load(bytes));
  } catch (const std::exception&) {
    refuse();
  }
  return {};
}

run::Parameters identity_of(const run::RunConfig& config) {
  auto others = run::names_of_roles({run::ParameterRole::length, run::ParameterRole::target,
                                     run::ParameterRole::place, run::ParameterRole::observation});
  if (config.schedule == "linear") {
    others.erase("epochs");
  }
  auto parameters = run::to_parameters(config);
  std::erase_if(parameters, [&](const run::Parameter& own) { return others.contains(own.name); });
  return parameters;
}

void check_identity(const std::string& path, const run::Parameters& saved,
                    const run::Parameters& now) {
  const auto defaults = run::to_parameters(run::RunConfig());
  for (const auto& parameter : now) {
    // A checkpoint from before the option existed is of a run with the option's default.
    const auto older = run::value_of_parameter(defaults, parameter.name, "(unset)");
    const auto before =
        run::current_text(parameter.name, run::value_of_parameter(saved, parameter.name, older));
    if (before != parameter.value) {
      throw Error(fmt::format("{}: is of a run with {} {}; this run has {}", path, parameter.name,
                              before, parameter.value));
    }
  }
}

void copy_tensors(const std::string& path, const NamedTensors& saved, const NamedTensors& into) {
  const torch::NoGradGuard no_grad;
  const std::map<std::string, torch::Tensor> by_name(saved.begin(), saved.end());
  for (const auto& [name, tensor] : into) {
    const auto found = by_name.find(name);
    if (found == by_name.end() || found->second.sizes() != tensor.sizes()) {
      throw Error(fmt::format("{}: has no '{}' of the shape that this run needs", path, name));
    }
    torch::Tensor(tensor).copy_(found->second);
  }
}

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
