// What one record says of its run, as the tables ask it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/device/match.hpp"
#include "src/record/record.hpp"

namespace epochcast {

/// The span in which importers keep a total that its source printed itself.
inline constexpr std::string_view total_span = "total";

/// Passes over the data that the run was to make (0: not said).
std::int64_t epochs_of(const Record& record);

/// "Total training time" as the lab printed it: training, evaluation and sample pictures of all
/// epochs, from the start of the first. Not in it: the scan of the data set, start-up before the
/// first epoch, and what the lab did not do at all, checkpoints and this record. A total that the
/// source printed itself goes before the sum. Nothing where the record does not hold every epoch.
std::optional<double> total_training_s(const Record& record);

/// A metric after the last epoch that has it.
std::optional<double> last_metric(const Record& record, std::string_view name);

/// Samples a second over the last epoch, without its evaluation and pictures.
std::optional<double> last_examples_per_s(const Record& record);

/// What the run computed on: the GPU's name, "cpu", or "cpu (t4 claimed)" where the job had asked
/// for a GPU.
std::string device_of(const Record& record);

/// Whether the run computed on a GPU.
bool used_gpu(const Record& record);

/// What the job asked of the scheduler under a name of Allocation's, or "".
std::string asked(const Record& record, std::string_view name);

/// CPUs that the job asked for, over all tasks (0: not known).
std::int64_t cpus_asked(const Record& record);

/// CPUs that the computation had over all ranks: used, else allowed, else asked for (0: not known).
std::int64_t cpus_of(const Record& record);

/// GPUs that it had: ranks that ran on one.
std::int64_t gpus_of(const Record& record);

/// What is known of its GPU; where the driver told nothing, the type that was asked for.
GpuTraits gpu_of(const Record& record);

}  // namespace epochcast
