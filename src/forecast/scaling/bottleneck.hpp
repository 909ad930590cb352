// What a training step waits for. Only the device part of a step scales with the device, so these
// functions are used before a time is converted to another device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/scaling/batch_cost.hpp"

namespace epochcast::forecast {

/// One step as the trainer records it.
struct StepTimes {
  double wait_s = 0;    ///< Waiting for the batch.
  double step_s = 0;    ///< As the host sees it; on a GPU until the step is queued.
  double device_s = 0;  ///< From the device's own events; 0: a CPU, which runs the step itself.
};

/// The parts of the mean step. device_s, host_s, input_s and sync_s follow one another and add up
/// to the time of a step. hidden_host_s overlaps with device_s and is not part of the sum.
struct StepParts {
  double device_s = 0;
  double host_s = 0;         ///< Launching that the device waits for.
  double input_s = 0;        ///< Waiting for the batch, as far as the device waits too.
  double sync_s = 0;         ///< The rest: ends of epochs, synchronization.
  double hidden_host_s = 0;  ///< Launching that overlaps with device_s: a lower bound of the step.

  double total_s() const { return device_s + host_s + input_s + sync_s; }
};

/// Splits the mean step into its parts; `wall_s` is the mean time from the start of one step to the
/// start of the next. The host's launching is the shortest step_s, since with a full queue the
/// other steps wait for the device. `host_waits` means that the host waits in every step
/// (`procedure: reference`); launching then cannot be measured separately and counts as device
/// time. Batches are prepared while a GPU computes, so only what is left of the wall time beside
/// its own is a wait. If launching takes nearly all of the device's time, the device's events
/// include the gaps between launches, and the step counts as host time. `steps` are steady steps,
/// at least one; the times are not negative.
StepParts split_steps(const std::vector<StepTimes>& steps, double wall_s, bool host_waits);

/// The time of a step on another device: the device part times `ratio`, but not less than the
/// launching that overlaps with it; host times are multiplied by `host_ratio`, and everything else
/// is unchanged.
double step_on_device_s(const StepParts& parts, double ratio, double host_ratio);

/// The reason why a step is not limited by the device, if its device part is not the largest part;
/// otherwise std::nullopt.
std::optional<std::string> not_device_bound(const StepParts& parts);

/// The fraction of a step at `batch` that does not grow with the batch, from 0 to 1, by
/// batch_cost(). It is an upper bound of the launching, since the device has fixed work too.
/// std::nullopt for fewer than two batch sizes.
std::optional<double> fixed_share(const std::vector<BatchTime>& times, double batch);

/// The reason, from the times of several batch sizes, why the device's arithmetic does not limit a
/// step at `batch`: most of the step does not grow with the batch, or a sample takes a quarter
/// longer than in a smaller batch (because of memory, or of other users of the machine). If `batch`
/// itself was not measured, the largest smaller size is used: if memory is short there, it is even
/// shorter at `batch`. std::nullopt if there is no such sign.
std::optional<std::string> not_device_bound(const std::vector<BatchTime>& times, double batch);

}  // namespace epochcast::forecast
