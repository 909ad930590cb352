// What a training computes for each sample or token, as its parameters state it or its trainer
// counted it, and the rates that follow: samples, tokens and model FLOP a second, and the part of
// the device's peak that the latter are (model FLOPs utilization, MFU).
#pragma once

#include <optional>
#include <string>

#include "src/record/record.hpp"

namespace epochcast::efficiency {

/// What options say; 0: nothing, so that the record is asked.
struct StatedWork {
  double parameters = 0;       ///< Of the network.
  double flops_per_token = 0;  ///< Forward and backward.
  double tokens_per_sample = 0;
};

/// Tokens of a sample, from the parameter of the record `sequence_length`, or of another usual
/// name; 0: not known.
double tokens_per_sample(const record::Record& record);

/// Model FLOP of a sample: counted by the trainer, else stated for a token (`flops_per_token`, or 6
/// for each parameter: 2 for a multiply-add, forward and twice that backward; without attention).
/// 0: not known. Recomputed activations are no model FLOP.
double flops_per_sample(const record::Record& record, const StatedWork& stated = {});

/// Nothing of what is not known.
struct WorkRates {
  std::optional<double> samples_per_s;
  std::optional<double> tokens_per_s;
  std::optional<double> model_flops_per_s;
  std::optional<double> mfu;  ///< From 0 to 1, of the peak of its devices.
};

/// The precision of the arithmetic: recorded, else the parameter `precision`; "": not known.
std::string precision_of(const record::Record& record);

/// `peak_flops_per_s`: of all devices together, in the recorded precision; 0: not known.
WorkRates work_rates(const record::Record& record, std::optional<double> samples_per_s,
                     double peak_flops_per_s, const StatedWork& stated = {});

}  // namespace epochcast::efficiency
