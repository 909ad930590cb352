// What the time of a training step depends on, what a step at such a setting took, and what a law
// misses at a setting, judged by what it misses at the settings nearby.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <vector>

namespace epochcast::forecast {

/// Where and with what a step runs. Workers are processes, each of which takes a batch of its own.
/// All values are above 0.
struct StepSetting {
  double batch = 1;         ///< Samples of each worker.
  double input_length = 1;  ///< Tokens of a sample; 1 if they have no length, or it is not known.
  double flops = 1;         ///< Counted FLOPs of a sample; 1: not known, or the same in all.
  double layers = 1;        ///< Or another measure of the launches; 1: not known, or the same.
  double threads = 1;       ///< CPUs of each worker; 1 on a GPU.
  double workers = 1;
  double nodes = 1;
  double tensor = 1;       ///< Workers among which each layer is divided (tensor parallelism).
  double pipeline = 1;     ///< Groups of these among which the layers are divided.
  double micro_batch = 1;  ///< Samples that go through the pipeline at once; 1: or not known.

  bool operator==(const StepSetting&) const = default;

  /// Workers that hold the same part of the network and average its gradients.
  constexpr double replicas() const { return workers / (tensor * pipeline); }
  /// How many micro batches of a step go through each pipeline: the batch of all workers over those
  /// of its replicas.
  constexpr double micro_batches() const { return batch * tensor * pipeline / micro_batch; }
};

/// The time of a step at a setting.
struct SettingTime {
  StepSetting setting;
  double step_s = 0;  ///< Above 0.

  bool operator==(const SettingTime&) const = default;
};

/// One dimension of the settings.
struct Dimension {
  std::string_view key;   ///< For columns of files: "batch".
  std::string_view name;  ///< For messages: "batch size".
  double StepSetting::*value;
};

inline constexpr std::array dimensions{
    Dimension{"batch", "batch size", &StepSetting::batch},
    Dimension{"input_length", "input length", &StepSetting::input_length},
    Dimension{"flops", "number of FLOPs per sample", &StepSetting::flops},
    Dimension{"layers", "number of layers", &StepSetting::layers},
    Dimension{"threads", "number of CPUs per process", &StepSetting::threads},
    Dimension{"workers", "number of workers", &StepSetting::workers},
    Dimension{"nodes", "number of nodes", &StepSetting::nodes},
    Dimension{"tensor_parallel", "tensor parallelism", &StepSetting::tensor},
    Dimension{"pipeline_parallel", "pipeline parallelism", &StepSetting::pipeline},
    Dimension{"micro_batch", "micro batch", &StepSetting::micro_batch}};

/// The values of a setting as logarithms to base 2.
using Doublings = std::array<double, dimensions.size()>;
Doublings doublings_of(const StepSetting& setting);

/// The squared distance of two settings, in doublings.
double squared_doublings(const StepSetting& a, const StepSetting& b);

/// The logarithm of measured over forecast time, at a setting.
struct MissedTime {
  StepSetting setting;
  double log_ratio = 0;
};

/// How far settings are apart: a doubling in each dimension counts as so many doublings.
class Nearness {
 public:
  Nearness() { doublings_.fill(1); }

  /// The mean of `missed` at `at`, in logarithms, weighted by the fourth power of the distance
  /// (inverse distance weighting, Shepard 1968). A further weight of 1 counts no error, so that a
  /// setting without neighbours is left as it is: an error at a distance of one doubling counts by
  /// half.
  double expected(const std::vector<MissedTime>& missed, const StepSetting& at) const;

  /// The weight of a setting at another one; both as logarithms.
  double weight(const Doublings& a, const Doublings& b) const;

  /// The nearness with the least value of `error`. In each dimension in which `settings` differ a
  /// doubling counts as 1/2, 1, 2 or 4: the effects of batch sizes differ little from one to the
  /// next, those of one and two workers may differ much. One dimension after the other is tried.
  static Nearness best_for(const std::vector<StepSetting>& settings,
                           const std::function<double(const Nearness&)>& error);

 private:
  std::array<double, dimensions.size()> doublings_ = {};
};

}  // namespace epochcast::forecast
