// The most memory that a process holds at a setting that was not run, of the host or of a GPU:
//
//     peak = c + a x parameters + b x activations x batch + d x batch x length^2
//
// c: the program, its libraries, its data and, of a GPU, the context of the driver. a: weights,
// gradients and the state of the optimizer. b: what the forward pass keeps for the backward pass;
// the length of a sample stands for its activations where these are not known. d: attention. No
// coefficient is below 0; a term whose factor did not vary in the runs is a part of c. Allocators
// take memory in pieces and keep it, so a peak is some percent off any law.
//
// It is the law of the time of a step (StepSurface) in other units: c is what does not depend on
// the batch, activations are its FLOPs, parameters its layers. So are the choice between laws, the
// errors, the intervals and the refusals.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "src/forecast/scaling/step_surface.hpp"
#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::memory {

/// What the memory of a process depends on; above 0.
struct MemorySetting {
  double batch = 1;       ///< Samples of the process.
  double length = 1;      ///< Tokens of a sample; 1: it has no length, or it is not known.
  double parameters = 1;  ///< 1: not known, or the same in all.
  double activations =
      1;  ///< Of a sample, in any unit; 1: not known, or the same but for the length.

  bool operator==(const MemorySetting&) const = default;
};

struct SettingPeak {
  MemorySetting setting;
  double bytes = 0;
};

class MemoryLaw {
 public:
  /// Returns a Refusal without peaks, and if a number is not above 0.
  static std::variant<MemoryLaw, forecast::Refusal> fit(std::vector<SettingPeak> peaks);

  /// In bytes. The upper ends are not below a peak that was seen at this setting. Returns a Refusal
  /// as StepSurface::forecast does: if nothing varied in a dimension in which `asked` differs.
  std::variant<forecast::Prediction, forecast::Refusal> forecast(const MemorySetting& asked) const;

  /// The largest batch up to that of `asked` whose upper end of 95 % is at most `bytes`; nothing if
  /// none is known to be.
  std::optional<std::int64_t> largest_batch(const MemorySetting& asked, double bytes) const;

 private:
  MemoryLaw(std::vector<SettingPeak> peaks, forecast::StepSurface surface)
      : peaks_(std::move(peaks)), surface_(std::move(surface)) {}

  std::vector<SettingPeak> peaks_;
  forecast::StepSurface surface_;
};

}  // namespace epochcast::memory
