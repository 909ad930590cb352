// What a training computes for each sample or token, as its parameters state it or its trainer
// counted it, and the rates that follow: samples, tokens and model FLOP a second, and the part of
// the device's peak that the latter are (model FLOPs utilization, MFU).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "src/record/record.hpp"

namespace epochcast::efficiency {

/// What options say, which goes before what the record says; 0 or "": nothing.
struct StatedWork {
  double parameters = 0;       ///< Of the network.
  double flops_per_token = 0;  ///< Forward and backward.
  double tokens_per_sample = 0;
  double gpus = 0;
  std::string precision = {};
};

/// Tokens of a sample, from the parameter of the record `sequence_length`, or of another usual
/// name; 0: not known.
double tokens_per_sample(const record::Record& record);

/// Tokens of a step, where the record states them (parameter `tokens_per_step`, or printed); 0: not
/// known.
double tokens_per_step(const record::Record& record);

/// What runs process in a second; nothing of what is not known.
struct WorkRates {
  std::optional<double> samples_per_s;
  std::optional<double> tokens_per_s;
  /// As the trainer counted it, else for a token the parameter `flops_per_token`, or 6 for each of
  /// `parameters`: 2 for a multiply-add, forward and twice that backward; without attention.
  /// Activations that are computed again are no model FLOP.
  std::optional<double> model_flops_per_s;
  std::optional<double> mfu;  ///< From 0 to 1, of the peak of its GPUs.
};

/// A rate as tables and the live view show it.
struct ShownRate {
  const char* key;  ///< With the unit.
  const char* heading;
  const char* unit;
  int decimals;
  std::optional<double> WorkRates::*rate;
  double factor;

  std::optional<double> of(const WorkRates& rates) const {
    return rates.*rate ? std::optional(*(rates.*rate) * factor) : std::nullopt;
  }
};
inline constexpr std::array shown_rates{
    ShownRate{"samples_per_s", "samples", "1/s", 1, &WorkRates::samples_per_s, 1},
    ShownRate{"tokens_per_s", "tokens", "1/s", 0, &WorkRates::tokens_per_s, 1},
    ShownRate{"model_tflop_per_s", "model", "TFLOP/s", 2, &WorkRates::model_flops_per_s, 1e-12},
    ShownRate{"mfu_percent", "MFU", "%", 1, &WorkRates::mfu, 100}};

/// "MFU of 140 %: are the device, its number and the parameters right?"; "" up to 100 %.
std::string mfu_warning(const WorkRates& rates);

/// The arithmetic of the run: recorded, else the parameter `precision`; "": not known.
std::string precision_of(const record::Record& record, const StatedWork& stated = {});

/// The GPUs that share the samples: stated, else one a rank, for a program of others those that its
/// job asked for; 0: not known, or none.
double gpus_of_run(const record::Record& record, const StatedWork& stated = {});

/// Of a run that takes `rows_per_s` of what its rows count, samples unless they are blocks with
/// another unit; else `steps_per_s`, whose tokens may be known. `peak_flops_per_s`: of all GPUs
/// together; 0: not known.
WorkRates work_rates(const record::Record& record, std::optional<double> rows_per_s,
                     std::optional<double> steps_per_s, double peak_flops_per_s,
                     const StatedWork& stated = {});

/// What the newest rows of a run that goes on show: its last whole epoch but the first, else its
/// steps but the first. Steps are those of a rank, samples those of all.
std::optional<double> newest_samples_per_s(const record::Record& record);
std::optional<double> newest_steps_per_s(const record::Record& record);

}  // namespace epochcast::efficiency
