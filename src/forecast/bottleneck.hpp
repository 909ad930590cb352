// What a training step waits for. Only the device's part of a step goes with the device, so this
// is asked before a time is carried over to another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/batch_cost.hpp"

namespace epochcast::forecast {

/// One step as the trainer records it.
struct StepTimes {
  double wait_s = 0;    ///< Waiting for the batch.
  double step_s = 0;    ///< As the host sees it; on a GPU until the work is queued.
  double device_s = 0;  ///< By the device's own events; 0: a CPU, where the step is the device's.
};

/// Where the mean step goes. The parts that follow one another add up to the time of a step; the
/// launching that hides after the device is known beside them.
struct StepParts {
  double device_s = 0;
  double host_s = 0;         ///< Launching that the device waits for.
  double input_s = 0;        ///< Waiting for the batch.
  double sync_s = 0;         ///< The rest: ends of epochs, waits for one another.
  double hidden_host_s = 0;  ///< Launching after the device's back: the step cannot get shorter.

  double total_s() const { return device_s + host_s + input_s + sync_s; }
};

/// Splits the mean step, which takes `wall_s` from one to the next. The host's launching is the
/// shortest step_s, since a full queue makes the others wait for the device; `host_waits` says that
/// every step waits (procedure: reference), so that launching cannot be told apart and counts as
/// the device's. Where launching takes nearly all of the device's time, the device's events span
/// the gaps between launches, and the step is the host's. `steps` are steady ones, at least one;
/// the times are not negative.
StepParts split_steps(const std::vector<StepTimes>& steps, double wall_s, bool host_waits);

/// A step on another device: its part times `ratio`, but never shorter than its launching; the
/// host's part times `host_ratio`, everything else as it was.
double step_on_device_s(const StepParts& parts, double ratio, double host_ratio);

/// Why a step is not the device's, or nothing: the device's part is not the largest of all.
std::optional<std::string> not_device_bound(const StepParts& parts);

/// The part of a step at `batch` that does not grow with the batch, from 0 to 1, by batch_cost().
/// It is an upper bound of the launching, since the device has fixed work too. Nothing with fewer
/// than two batch sizes.
std::optional<double> fixed_share(const std::vector<BatchTime>& times, double batch);

/// Why the times of several batch sizes say that at `batch` the device's arithmetic is not what
/// limits a step: most of the step does not grow with the batch, or a sample takes a quarter longer
/// than in a smaller batch (memory, or whoever else used the machine). Where `batch` itself was not
/// measured, the largest smaller one tells: memory that is short there is shorter here. Nothing: no
/// such sign.
std::optional<std::string> not_device_bound(const std::vector<BatchTime>& times, double batch);

}  // namespace epochcast::forecast
