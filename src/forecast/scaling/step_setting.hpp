// What the time of a training step depends on, and what a step at such a setting took.
#pragma once

#include <array>
#include <string_view>

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

  bool operator==(const StepSetting&) const = default;
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
    Dimension{"nodes", "number of nodes", &StepSetting::nodes}};

/// The values of a setting as logarithms to base 2.
using Doublings = std::array<double, dimensions.size()>;
Doublings doublings_of(const StepSetting& setting);

/// The squared distance of two settings, in doublings.
double squared_doublings(const StepSetting& a, const StepSetting& b);

}  // namespace epochcast::forecast
