// The jobs that the scheduler knows: squeue for jobs that it still holds, sacct for older jobs.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/enum_text.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::slurm {

/// The job states of squeue(1) and sacct(1).
enum class JobState {
  pending,
  running,
  suspended,
  completed,
  cancelled,
  failed,
  timeout,
  node_fail,
  preempted,
  boot_fail,
  deadline,
  out_of_memory,
  completing,
  configuring,
  launch_failed,
  reconfig_fail,
  requeued,
  requeue_fed,
  requeue_hold,
  resizing,
  resv_del_hold,
  revoked,
  signaling,
  special_exit,
  stage_out,
  stopped,
  unknown  ///< A state that this program does not know.
};
constexpr auto texts_of(Tag<JobState>) {
  using enum JobState;
  return std::array{EnumText<JobState>{pending, "PENDING"},
                    EnumText<JobState>{running, "RUNNING"},
                    EnumText<JobState>{suspended, "SUSPENDED"},
                    EnumText<JobState>{completed, "COMPLETED"},
                    EnumText<JobState>{cancelled, "CANCELLED"},
                    EnumText<JobState>{failed, "FAILED"},
                    EnumText<JobState>{timeout, "TIMEOUT"},
                    EnumText<JobState>{node_fail, "NODE_FAIL"},
                    EnumText<JobState>{preempted, "PREEMPTED"},
                    EnumText<JobState>{boot_fail, "BOOT_FAIL"},
                    EnumText<JobState>{deadline, "DEADLINE"},
                    EnumText<JobState>{out_of_memory, "OUT_OF_MEMORY"},
                    EnumText<JobState>{completing, "COMPLETING"},
                    EnumText<JobState>{configuring, "CONFIGURING"},
                    EnumText<JobState>{launch_failed, "LAUNCH_FAILED"},
                    EnumText<JobState>{reconfig_fail, "RECONFIG_FAIL"},
                    EnumText<JobState>{requeued, "REQUEUED"},
                    EnumText<JobState>{requeue_fed, "REQUEUE_FED"},
                    EnumText<JobState>{requeue_hold, "REQUEUE_HOLD"},
                    EnumText<JobState>{resizing, "RESIZING"},
                    EnumText<JobState>{resv_del_hold, "RESV_DEL_HOLD"},
                    EnumText<JobState>{revoked, "REVOKED"},
                    EnumText<JobState>{signaling, "SIGNALING"},
                    EnumText<JobState>{special_exit, "SPECIAL_EXIT"},
                    EnumText<JobState>{stage_out, "STAGE_OUT"},
                    EnumText<JobState>{stopped, "STOPPED"},
                    EnumText<JobState>{unknown, "UNKNOWN"}};
}

/// The state of "RUNNING", "CANCELLED by 1000" or "CANCELLED+".
JobState parse_state(std::string_view text);

/// Whether a job in this state may run now or later. An unknown state counts as one that may.
bool is_live(JobState state);
/// Whether it holds no nodes and may start later: it is pending, requeued or held.
bool waits(JobState state);
/// Whether its CPUs are kept for it. A suspended job gave them to others.
bool holds_cpus(JobState state);

struct Job {
  /// Raw id, as in SLURM_JOB_ID. A pending array element may not have its own id yet.
  std::string id;
  std::string name;  ///< "123", or "123_4" for element 4 of array 123.
  JobState state = JobState::unknown;
  std::string reason;  ///< Why a job is pending; empty: none.
  std::string comment;
  std::string job_name;
  std::string exit_code;  ///< "75:0": status and signal (sacct only).
  double elapsed_s = 0;
  double submitted_at_s = 0;  ///< Seconds since 1970 (sacct only).
};

/// The answer of squeue or sacct. A missing answer does not mean that there are no jobs.
struct Jobs {
  bool answered = false;
  std::string error;  ///< Why there is no answer, in one line.
  std::vector<Job> jobs;
};

/// When a job in the queue starts or ends.
struct JobTimes {
  bool waits = false;
  std::optional<double> starts_at_s;  ///< Seconds since 1970; of a pending job as Slurm expects it.
  std::optional<double> left_s;       ///< Until its time limit; infinite without one.
};

/// By the names of the jobs, from `squeue -h -o '%i|%T|%S|%L'` with SLURM_TIME_FORMAT=%s.
std::map<std::string, JobTimes> parse_times(std::string_view text);

/// A job that a failure of its nodes ended.
struct NodeFailure {
  std::string job;          ///< Raw id.
  double started_at_s = 0;  ///< Seconds since 1970.
  std::string node_list;    ///< "n[1-2]".
};

/// From `sacct -P -n -o JobIDRaw,State,Start,NodeList`, with SLURM_TIME_FORMAT=%s.
std::vector<NodeFailure> parse_node_failures(std::string_view text);

/// A cell NodeList of sacct; "" for a job that never had nodes.
std::string assigned_nodes(std::string_view cell);

/// The fields of squeue and sacct that the two functions below read. The comment comes last, since
/// it may contain the separator.
inline constexpr const char* queue_format = "%A|%i|%T|%M|%r|%j|%k";
inline constexpr const char* accounting_format =
    "JobIDRaw,JobID,State,ElapsedRaw,ExitCode,Submit,JobName%256,Comment%256";
std::vector<Job> parse_queue(std::string_view text);
std::vector<Job> parse_accounting(std::string_view text);

/// The first line of the error output of a command that is not blank, or its first 300 bytes; "no
/// error message" if there is none.
std::string first_line(std::string_view text);

}  // namespace epochcast::slurm
