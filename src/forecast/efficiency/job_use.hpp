// What a job used of what it had asked for, what limited it, and what to ask for next time: the one
// computation behind the report of a job, `table efficiency`, `status` and `advise`.
//
// What was not measured stays empty, with the reason; nothing is guessed. What is advised is at
// least the most that was used, and `margin` above it where that may grow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/forecast/efficiency/job_samples.hpp"
#include "src/record/record.hpp"
#include "src/record/run/outcome.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::efficiency {

inline constexpr double margin = 0.2;         ///< Of time and memory, above what was used.
inline constexpr double after_kill = 1.5;     ///< Memory after a kill: so many times what it had.
inline constexpr double busy_share = 0.9;     ///< CPUs or GPUs that are busy for more limit a run.
inline constexpr double waiting_share = 0.1;  ///< Data loading that takes more limits it.
inline constexpr double idle_share = 0.5;     ///< A GPU that is busy for less waits for something.

/// One thing that a job asked for.
struct Use {
  std::optional<double> used = {};
  std::optional<double> asked = {};
  std::optional<double> next = {};  ///< To ask for next time.
  std::string unknown = {};         ///< Why `used` or `next` is not known.

  std::optional<double> share() const;
};

struct JobUse {
  std::string state;  ///< As the record or the accounting calls it: "complete", "TIMEOUT".
  bool has_ended = true;
  bool is_complete = false;  ///< It did all that it was to do.
  bool is_in_vain = false;   ///< It ended without a result, so that all it took is lost.
  run::FailureCause cause = run::FailureCause::none;
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;
  Use time_s;                       ///< Of the time limit.
  Use cpus;                         ///< Of the job: those that were busy in the mean.
  Use memory_bytes;                 ///< Of a node: the most at once.
  Use gpus;                         ///< Of the job: those that were busy in the mean.
  Use gpu_memory_bytes;             ///< The most of one GPU; asked: what the GPU has.
  std::optional<double> task_cpus;  ///< The most that one task kept busy for a second.
  std::optional<double> gpus_used;  ///< GPUs on which anything ran.
  std::optional<double> data_wait;  ///< Share of the time of the epochs that waited for data.
  std::string limited_by;           ///< Empty: too little was measured.

  std::optional<double> cpu_hours() const;
  std::optional<double> gpu_hours() const;
  /// Of these, the hours in which they were idle, or all if it was in vain.
  std::optional<double> lost_cpu_hours() const;
  std::optional<double> lost_gpu_hours() const;
};

/// The most memory that a run held at once. Of the host it is the resident memory (VmRSS) of its
/// processes, without the page cache: what the kernel cannot take back and kills for when a limit
/// is reached. Libraries that several processes share count in each of them, so it is rather too
/// much. The samples are a second apart; what a process held in between is known as far as it was
/// its peak.
struct PeakMemory {
  std::optional<double> node_bytes = {};  ///< Of the node that held most, over all tasks there.
  std::optional<double> gpu_bytes = {};   ///< Of the GPU that held most, by all processes on it.
  std::int64_t tasks = 1;                 ///< Of the job.
  std::string unknown = {};               ///< Why node_bytes is not known.
};
PeakMemory peak_memory(const record::Record& record);
/// With its samples, which the record need not hold.
PeakMemory peak_memory(const record::Record& record, const JobSamples& samples);

/// Of a run that wrote a record. Needs its samples of telemetry.
JobUse use_of(const record::Record& record);
/// With its samples, which the record need not hold.
JobUse use_of(const record::Record& record, const JobSamples& samples);

/// Of a job of the accounting, ours or not. Slurm samples every 30 s, and has neither the most CPUs
/// at once nor the mean use of a GPU.
JobUse use_of(const slurm::AccountedJob& job);

/// Fills in what to ask for next and what limited it, from the rest; again, where the scheduler
/// knows more of the end than the record.
void judge(JobUse& use);

/// Whether half of the CPUs, of the memory or of the GPUs would have been enough, or the memory was
/// too little.
bool asks_for_another_size(const JobUse& use);

/// CPUs and GPUs that the scheduler granted to the whole job, else those that it asked for.
struct Granted {
  std::optional<double> cpus;
  std::optional<double> gpus;
};
Granted granted_to(const record::Record& record);

}  // namespace epochcast::efficiency
