// PyTorch's own profiler: the only file that includes it, and it comes with LibTorch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/measure/operators/events.hpp"

namespace epochcast::libtorch {

struct KinetoOptions {
  bool on_gpu = false;
  bool shapes = false;
};

/// Records the operators of all threads, and the kernels of the GPU, while it lives. Start and stop
/// it on one thread; one at a time in a process.
class KinetoSession {
 public:
  explicit KinetoSession(const KinetoOptions& options);
  ~KinetoSession();
  KinetoSession(const KinetoSession&) = delete;
  KinetoSession& operator=(const KinetoSession&) = delete;

  /// Ends the recording. `trace_path`: also writes a trace there, in Chrome's format; empty: none.
  /// Throws RunError if that file cannot be written.
  std::vector<operators::Event> stop(const std::string& trace_path);

 private:
  KinetoOptions options_;
  bool stopped_ = false;
};

/// Name of the ranges around what a run does before its steps, for RunConfig::profile_start.
inline constexpr const char* start_range = "epochcast::start";

/// A range in the profile: from its construction to its destruction. Costs nothing while no
/// profiler records.
class ProfiledRange {
 public:
  explicit ProfiledRange(const char* name);
  ~ProfiledRange();
  ProfiledRange(const ProfiledRange&) = delete;
  ProfiledRange& operator=(const ProfiledRange&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace epochcast::libtorch
