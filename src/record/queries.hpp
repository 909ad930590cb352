// Common queries on a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::record {

/// The value of a parameter of the run; "" if it is not recorded.
std::string parameter(const Record& record, std::string_view name);

/// The number of epochs that the run was configured for; 0 if it is not recorded, or if the run
/// did more: the command line of a program may have stated something else.
std::int64_t epochs_of(const Record& record);

/// The number of steps of rank 0 that the run was configured for, all epochs together; 0 if it is
/// not recorded.
std::int64_t total_steps_of(const Record& record);

/// Whether the run computed on a GPU, of whatever kind: on anything but a CPU.
bool used_gpu(const Record& record);

/// What the run computed on: the GPU's name, "cpu", "cpu (t4 claimed)" where the job had asked for
/// a GPU, or "unknown" for an imported log that does not state it.
std::string device_of(const Record& record);

/// The GPU's name: the driver's, else that which the job asked for.
std::string gpu_name_of(const Record& record);

/// The task as text: "train", "infer", ...; records from before there was a choice trained.
std::string task_text(const Record& record);
bool infers(const Record& record);

/// The row of Allocation's under `name`; nullptr if there is none.
const AllocationRow* allocation_row(const Record& record, std::string_view name);
/// What the job asked of the scheduler under a name of Allocation's, or "".
std::string asked(const Record& record, std::string_view name);

/// The steps of rank 0, in order. Pointers go into `record`.
std::vector<const Iteration*> first_rank(const Record& record);

/// Removes the steps of all other ranks.
void keep_first_rank(Record& record);

/// The time limit that the scheduler gave the job, in seconds; nothing if the record has none.
std::optional<double> time_limit_s(const Record& record);

/// Seconds from the start of the job to that of the program; 0 if the record does not contain it.
/// Setup, modules and containers use this part of the limit.
double before_program_s(const Record& record);

/// Seconds from the start of the program to the end of its last span, step or epoch.
double last_time_s(const Record& record);

/// Seconds of a step that its rank did not spend waiting for other ranks: data and computation. On
/// a GPU the computation is measured with device events, because the host only queues it.
inline double own_time_s(const Iteration& step) {
  const double computing_s = step.device_s > 0 ? step.device_s : step.step_s;
  return step.wait_s + computing_s - step.gradient_sync_wait_s;
}

}  // namespace epochcast::record
