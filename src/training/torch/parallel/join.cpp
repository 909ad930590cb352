#include "src/training/torch/parallel/join.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "src/base/core/files.hpp"
#include "src/base/core/host.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/version.hpp"
#include "src/training/ranks/run_secret.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/parallel/rank_group.hpp"

namespace epochcast::libtorch {
namespace {

std::vector<std::string> configuration_of(const run::RunConfig& config) {
  std::vector<std::string> parts;
  for (const auto& parameter : run::to_parameters(config)) {
    parts.push_back(parameter.name + "=" + parameter.value);
  }
  return parts;
}

/// Without a usable GPU the reason too: the rendezvous then says it, as what differs from the
/// others.
std::string program_text(const std::string& device) {
  auto text = fmt::format("epochcast {} ({}), {}", tool_version, tool_revision, library_versions());
  try {
    open_device(device);
  } catch (const RunError& error) {
    text += fmt::format(", {}", error.what());
  }
  return text;
}

/// The heartbeat alone judges whether a rank is lost: NCCL's watchdog in c10d would end this
/// process before it can name that rank, or while abort() takes its time.
void leave_losses_to_heartbeat() {
  for (const char* name : {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_ENABLE_MONITORING",
                           "TORCH_NCCL_DUMP_ON_TIMEOUT"}) {
    setenv(name, "0", 0);
  }
}

}  // namespace

std::unique_ptr<train::Team> join_ranks(const attempt::RankPlace& place,
                                        const run::RunConfig& config, const run::RunOutput& output,
                                        const attempt::StopFlag& stop) {
  if (place.size == 1) {
    return std::make_unique<train::TeamOfOne>();
  }
  const ranks::Member me{.rank = place.rank,
                         .host = host_name(),
                         .process = getpid(),
                         .program = program_text(config.device),
                         .configuration = configuration_of(config)};
  const ranks::RunSecret secret(std::filesystem::path(output.work) / output.point /
                                    fmt::format("ranks-{}.secret", file_word(place.run)),
                                place.is_first());
  return guarded([&] {
    return std::make_unique<RankGroup>(
        RankGroupOptions{.place = place,
                         .me = me,
                         .device = torch::Device(config.device),
                         .secret = secret.text(),
                         .rendezvous_s = output.rendezvous_timeout.value,
                         .stop = [&stop] { return stop.signal(); }});
  });
}

void choose_gpu(const attempt::RankPlace& place, const slurm::Environment& environment) {
  if (place.size == 1) {
    return;
  }
  leave_losses_to_heartbeat();
  const auto visible = split(slurm::variable(environment, "CUDA_VISIBLE_DEVICES"), ',');
  if (visible.size() == 1) {  // one: the scheduler has chosen
    return;
  }
  const auto own = static_cast<std::size_t>(place.local_rank);
  if (!visible.empty() && own >= visible.size()) {
    throw Error(fmt::format(
        "rank {} is number {} of its node, where CUDA_VISIBLE_DEVICES names {} GPUs; expected one "
        "for each rank",
        place.rank, own + 1, visible.size()));
  }
  const auto gpu = visible.empty() ? std::to_string(own) : visible[own];
  setenv("CUDA_VISIBLE_DEVICES", gpu.c_str(), 1);
}

}  // namespace epochcast::libtorch
