#include "src/training/torch/profile/step_profiler.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/base/core/text.hpp"
#include "src/measure/operators/sums.hpp"

namespace epochcast::libtorch {
namespace {

constexpr const char* step_range = "epochcast::step";

using Windows = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// When the steps, and the start where it is asked for, began and ended, on the profiler's clock.
/// Takes these ranges out of the events.
Windows take_windows(std::vector<operators::Event>& events, bool with_start) {
  Windows windows;
  std::erase_if(events, [&](const operators::Event& event) {
    if (event.name != step_range && !(with_start && event.name == start_range)) {
      return false;
    }
    if (!event.on_device) {  // a GPU has an annotation of the same name
      windows.emplace_back(event.start_ns, event.end_ns);
    }
    return true;
  });
  return windows;
}

double seconds_in(const Windows& windows) {
  double seconds = 0;
  for (const auto& [start_ns, end_ns] : windows) {
    seconds += static_cast<double>(end_ns - start_ns) * 1e-9;
  }
  return seconds;
}

std::string joined(const std::string& before, const std::string& more) {
  return before.empty() ? more : before + "; " + more;
}

}  // namespace

StepProfiler::StepProfiler(const run::RunConfig& config, std::filesystem::path folder)
    : config_(config),
      folder_(std::move(folder)),
      phase_(config.profile > 0 ? Phase::waits : Phase::is_done) {
  profile_.device = config.device;
  if (config.profile_start && phase_ == Phase::waits) {
    start_profile();
  }
}

StepProfiler::~StepProfiler() {
  if (phase_ == Phase::counts) {
    stop_counting_work();
  }
}

void StepProfiler::start_profile() {
  session_.emplace(
      KinetoOptions{.on_gpu = config_.device == "cuda", .shapes = config_.profile_shapes});
  phase_ = Phase::profiles;
}

void StepProfiler::step_begins(const train::Position& position) {
  if (phase_ == Phase::waits && steps_before_ >= profile_warm_up) {
    start_profile();
  }
  if (phase_ == Phase::profiles) {
    if (profile_.steps == 0) {
      profile_.first_epoch = position.epoch;
      profile_.first_iteration = position.iteration;
    }
    step_.emplace(step_range);
  }
}

void StepProfiler::step_ends(const record::Iteration& /*row*/, const train::Metrics& /*losses*/) {
  ++steps_before_;
  if (phase_ == Phase::counts) {
    work_ = stop_counting_work();
    phase_ = Phase::is_ready;
  }
  if (phase_ != Phase::profiles) {
    return;
  }
  step_.reset();
  if (++profile_.steps < config_.profile) {
    return;
  }
  stop_profile();
  if (config_.profile_flops) {
    start_counting_work();
    phase_ = Phase::counts;
  }
}

void StepProfiler::stop_profile() {
  const auto trace =
      config_.profile_trace.empty() ? std::string() : (folder_ / config_.profile_trace).string();
  events_ = session_->stop(trace);
  session_.reset();
  phase_ = Phase::is_ready;
}

void StepProfiler::run_ends() {
  if (phase_ == Phase::profiles) {
    stop_profile();
  }
  if (phase_ == Phase::counts) {
    stop_counting_work();
    phase_ = Phase::is_ready;
  }
  if (phase_ == Phase::waits) {
    phase_ = Phase::is_ready;
  }
}

void StepProfiler::append_rows(record::RecordWriter& record) {
  if (phase_ != Phase::is_ready) {
    return;
  }
  phase_ = Phase::is_done;
  if (profile_.steps == 0) {
    profile_.covers =
        config_.profile_start
            ? "no step: the run had none"
            : fmt::format("no step: the run ended within its first {}", profile_warm_up);
    record.append(profile_);
    return;
  }
  const auto windows = take_windows(events_, config_.profile_start);
  const auto sums =
      operators::sum_by_operator(operators::events_within(std::move(events_), windows), work_);
  const auto steps = counted(static_cast<std::size_t>(profile_.steps), "step");
  profile_.covers = fmt::format(
      "{}{}, from step {} of epoch {}{}", config_.profile_start ? "the start and " : "", steps,
      profile_.first_iteration + 1, profile_.first_epoch + 1,
      profile_.steps < config_.profile ? fmt::format(" (the run ended before {})", config_.profile)
                                       : "");
  profile_.wall_s = seconds_in(windows);
  profile_.self_cpu_s = sums.self_cpu_s;
  profile_.self_device_s = sums.self_device_s;
  record.append(profile_);
  for (const auto& row : sums.operators) {
    record.append(row);
  }
  for (const auto& row : sums.shapes) {
    record.append(row);
  }
  auto header = record.header();
  header.tainted = joined(header.tainted.str(), fmt::format("{} {} profiled, which slows {}", steps,
                                                            profile_.steps == 1 ? "was" : "were",
                                                            profile_.steps == 1 ? "it" : "them"));
  record.update(header);
}

}  // namespace epochcast::libtorch
