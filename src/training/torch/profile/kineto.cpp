#include "src/training/torch/profile/kineto.hpp"

#include <ATen/record_function.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "src/base/core/error.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {
namespace {

namespace kineto = torch::autograd::profiler;
namespace kineto_impl = torch::profiler::impl;

std::set<kineto_impl::ActivityType> kineto_activities(const KinetoOptions& options) {
  std::set activities{kineto_impl::ActivityType::CPU};
  if (options.on_gpu) {
    activities.insert(kineto_impl::ActivityType::CUDA);
  }
  return activities;
}

operators::Event event_of(const kineto::KinetoEvent& event) {
  // As in Python's is_user_annotation: numbers of libkineto::ActivityType.
  constexpr std::uint8_t user_annotation = 1;
  constexpr std::uint8_t gpu_user_annotation = 2;
  const auto start_ns = static_cast<std::int64_t>(event.startNs());
  operators::Event made{.name = event.name(),
                        .thread = event.startThreadId(),
                        .start_ns = start_ns,
                        .end_ns = start_ns + static_cast<std::int64_t>(event.durationNs()),
                        .id = event.correlationId(),
                        .linked_id = event.linkedCorrelationId(),
                        .on_device = event.deviceType() != c10::DeviceType::CPU,
                        .is_async = event.isAsync() || event.startThreadId() != event.endThreadId(),
                        .is_annotation = event.activityType() == user_annotation ||
                                         event.activityType() == gpu_user_annotation};
  if (event.hasShapes()) {
    const auto shapes = event.shapes();
    made.shapes = operators::shapes_text({shapes.begin(), shapes.end()});
  }
  return made;
}

}  // namespace

KinetoSession::KinetoSession(const KinetoOptions& options) : options_(options) {
  const kineto_impl::ProfilerConfig config(kineto_impl::ProfilerState::KINETO, options.shapes);
  const auto activities = kineto_activities(options);
  if (!options.on_gpu) {
    setenv("KINETO_LOG_LEVEL", "5", 0);  // on a machine without a GPU it prints an error about that
  }
  kineto::prepareProfiler(config, activities);
  kineto::enableProfiler(config, activities);
}

KinetoSession::~KinetoSession() {
  if (stopped_) {
    return;
  }
  try {
    kineto::disableProfiler();
  } catch (...) {  // the run failed while it was profiled; its own error counts
  }
}

std::vector<operators::Event> KinetoSession::stop(const std::string& trace_path) {
  if (options_.on_gpu) {
    torch::cuda::synchronize();
  }
  stopped_ = true;
  const auto result = kineto::disableProfiler();
  std::vector<operators::Event> events;
  events.reserve(result->events().size());
  for (const auto& event : result->events()) {
    events.push_back(event_of(event));
  }
  if (!trace_path.empty()) {
    result->save(trace_path);
    if (!std::filesystem::exists(trace_path)) {
      throw RunError(fmt::format("profile_trace: cannot write {}", trace_path));
    }
  }
  return events;
}

struct ProfiledRange::Impl {
  at::RecordFunction function{at::RecordScope::USER_SCOPE};
};

ProfiledRange::ProfiledRange(const char* name) : impl_(std::make_unique<Impl>()) {
  if (impl_->function.isActive()) {
    impl_->function.before(name);
  }
}

ProfiledRange::~ProfiledRange() = default;

}  // namespace epochcast::libtorch
