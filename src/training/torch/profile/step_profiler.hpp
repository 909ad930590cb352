// Profiles some steps of a run and writes their operators to the record.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "src/record/run/run_config.hpp"
#include "src/training/loop/observer.hpp"
#include "src/training/torch/profile/kineto.hpp"
#include "src/training/torch/profile/operator_work.hpp"

namespace epochcast::libtorch {

/// RunConfig::profile steps after the first `profile_warm_up` of the run, across epochs. A profile
/// has the operators from the loaded batch to the end of the step on the host and, on a GPU, the
/// kernels that these started. With RunConfig::profile_start, it has the first steps and the parts
/// of the run named `start_range`, from the construction of this object on. If the run ends
/// earlier, the profile has the steps so far, and its row says so. The record is tainted: profiled
/// steps take longer.
class StepProfiler final : public train::Observer {
 public:
  static constexpr std::int64_t profile_warm_up = 5;

  /// `folder`: of the point; a relative RunConfig::profile_trace is below it. No steps are profiled
  /// if RunConfig::profile is 0.
  StepProfiler(const run::RunConfig& config, std::filesystem::path folder);
  ~StepProfiler() override;

  void step_begins(const train::Position& position) override;
  void step_ends(const record::Iteration& row, const train::Metrics& losses) override;
  void run_ends() override;
  void append_rows(record::RecordWriter& record) override;

 private:
  enum class Phase { waits, profiles, counts, is_ready, is_done };

  void start_profile();
  void stop_profile();

  const run::RunConfig config_;
  const std::filesystem::path folder_;
  Phase phase_;
  std::int64_t steps_before_ = 0;
  record::Profile profile_;
  std::optional<KinetoSession> session_;
  std::optional<ProfiledRange> step_;
  std::vector<operators::Event> events_;
  operators::WorkByName work_;
};

}  // namespace epochcast::libtorch
