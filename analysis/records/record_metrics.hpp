// Figures of one recorded run, as the tables need them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/forecast/device/gpu_of_run.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/queries.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// "Total training time" as the lab printed it: training, evaluation and sample pictures of all
/// epochs, from the start of the first. Not in it: the scan of the data set, start-up before the
/// first epoch, and what the lab did not do at all, checkpoints and this record. A total that the
/// source printed itself goes before the sum. Nothing if the record does not hold every epoch;
/// one that ended because it had reached its target accuracy holds all that there were to be.
std::optional<double> total_training_s(const record::Record& record);

/// From the start of an epoch to the end of its training: its wall_s, and the evaluations that
/// interrupted it.
double length_s(const record::Record& record, const record::Epoch& epoch);

/// Samples that this took, over all epochs (0: not known).
double samples_of_training(const record::Record& record);

/// A metric after the last epoch that has it.
std::optional<double> last_metric(const record::Record& record, std::string_view name);

/// Samples a second of all ranks, as published studies quote it: over all epochs but the first,
/// without evaluation and checkpoints; over the first where there is no other; over the iterations
/// after their warm-up where no epoch ended. Nothing if none of these is recorded.
std::optional<double> steady_samples_per_s(const record::Record& record);

/// Samples a second over the last epoch, without its evaluation and pictures.
std::optional<double> last_examples_per_s(const record::Record& record);

/// The most memory that a rank held at once: of the GPU where it computed on one, else of the
/// process.
std::optional<double> peak_memory_bytes(const record::Record& record);

/// The models of what it computed on, its GPUs or CPUs, "" where that is not recorded. Runs on
/// different hardware do not show how either scales.
std::string hardware_of(const record::Record& record);

/// Whether it failed because it ran out of memory, the host's or the device's.
bool ran_out_of_memory(const record::Record& record);

/// CPUs that the job asked for, over all tasks (0: not known).
std::int64_t cpus_asked(const record::Record& record);

/// CPUs that the computation had over all ranks: used, else allowed, else asked for (0: not known).
std::int64_t cpus_of(const record::Record& record);

/// GPUs that it had: ranks that ran on one.
std::int64_t gpus_of(const record::Record& record);

/// Processes that trained together, at least 1.
std::int64_t ranks_of(const record::Record& record);

/// Nodes: those that the scheduler gave, else asked for, else different machines; at least 1.
std::int64_t nodes_of(const record::Record& record);

/// Different machines under the ranks, by the boot of their kernel, in older records by host name;
/// 0 where neither is known. Less than the nodes on a test cluster that makes nodes of one machine.
std::int64_t machines_of(const record::Record& record);

/// The most samples that one rank took in a step: the last of an epoch may take fewer (0: no steps
/// recorded).
std::int64_t samples_of_full_step(const record::Record& record);

/// Samples that all ranks together take in one step (0: not known).
double samples_per_step(const record::Record& record);

using device::gpu_of;

/// A number of consecutive epochs (`patience`) at this accuracy or above, on held-out data.
struct AccuracyTarget {
  double accuracy = 0;
  std::int64_t patience = 1;
};

/// The target in the run's parameters; std::nullopt if it had none.
std::optional<AccuracyTarget> target_of(const record::Record& record);

/// The end of the epoch that completed the target: where the published study stops its clock.
struct Reached {
  std::int64_t epochs = 0;  ///< Passes over the data until then.
  double training_s = 0;    ///< Their length without evaluation, as the study counts.
  double wall_s = 0;        ///< From the start of the first, everything included.
};

/// std::nullopt if the record does not begin with its first epoch, or did not reach the target.
std::optional<Reached> reached(const record::Record& record, const AccuracyTarget& target);

}  // namespace epochcast::analysis
