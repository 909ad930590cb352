#include "src/slurm/job_info.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::slurm {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

/// Keys with a free-text value, which extends to the end of its line.
constexpr std::array<std::string_view, 7> free_keys{"JobName", "Comment", "Command", "WorkDir",
                                                    "StdErr",  "StdIn",   "StdOut"};

/// In the multi-line form, a free-text value is the last value of its line; in the form of
/// `scontrol -o` it is not.
void read_line(std::string_view line, Values& values) {
  while (!(line = trim(line)).empty()) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) {
      return;
    }
    const auto key = line.substr(0, equals);
    const bool is_free = std::ranges::find(free_keys, key) != free_keys.end();
    const auto end = is_free ? line.size() : std::min(line.find(' ', equals), line.size());
    values.emplace(key, trim(line.substr(equals + 1, end - equals - 1)));
    line.remove_prefix(end);
  }
}

std::string value_text(const Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() || found->second == "(null)" ? "" : found->second;
}

std::int64_t integer_of(const Values& values, std::string_view key) {
  return parse_integer(value_text(values, key)).value_or(0);
}

/// The bytes of "32G", or of a number of megabytes without a unit.
std::int64_t memory_of(const std::string& text) {
  const auto mebibytes = parse_integer(text);
  return mebibytes ? *mebibytes * mebibyte : parse_bytes(text).value_or(0);
}

/// The type and number of the GPUs of "gpu:t4:4(IDX:0-3)", "gres:gpu:2" or "gpu:t4:4,fpga:1".
void read_gpus(std::string_view text, JobInfo& job) {
  for (const auto& item : split(text, ',')) {
    auto parts = split(item.substr(0, item.find('(')), ':');
    if (!parts.empty() && parts.front() == "gres") {
      parts.erase(parts.begin());
    }
    if (!parts.empty() && parts.front() == "gpu") {
      job.gpus += parts.size() > 1 ? parse_integer(parts.back()).value_or(1) : 1;
      job.gpu = parts.size() > 2 ? parts[1] : job.gpu;
    }
  }
}

JobInfo parsed_job(const Values& values) {
  JobInfo job;
  job.partition = value_text(values, "Partition");
  job.account = value_text(values, "Account");
  job.qos = value_text(values, "QOS");
  job.features = value_text(values, "Features");
  job.node_list = value_text(values, "NodeList");
  job.submitted_at = value_text(values, "SubmitTime");
  job.started_at = value_text(values, "StartTime");
  job.nodes = integer_of(values, "NumNodes");
  job.tasks = integer_of(values, "NumTasks");
  job.cpus = integer_of(values, "NumCPUs");
  job.cpus_per_task = integer_of(values, "CPUs/Task");
  const auto given =
      memory_of(value_text(values, "Mem"));  // of the first node, only while the job runs
  job.memory_bytes = given > 0 ? given : memory_of(value_text(values, "MinMemoryNode"));
  job.time_limit_s = parse_time_s(value_text(values, "TimeLimit")).value_or(0);
  job.restarts = integer_of(values, "Restarts");
  job.exit_code = value_text(values, "ExitCode");
  job.exclusive = value_text(values, "OverSubscribe") == "NO";
  job.step_out_of_memory = value_text(values, "DerivedExitCode").ends_with(":125");
  read_gpus(value_text(values, "JOB_GRES"), job);
  return job;
}

}  // namespace

std::optional<JobInfo> parse_job_info(std::string_view text, std::string_view job_id) {
  Values values;
  for (const auto& line : split(text, '\n')) {
    if (line.starts_with("JobId=")) {
      if (value_text(values, "JobId") == job_id) {
        break;
      }
      values.clear();
    }
    read_line(line, values);
  }
  return value_text(values, "JobId") == job_id ? std::optional(parsed_job(values)) : std::nullopt;
}

std::optional<JobInfo> query_job_info(const std::string& job_id, double timeout_s) {
  const auto answer = process::run_command({"scontrol", "show", "job", "-d", job_id}, timeout_s,
                                           {{"SLURM_TIME_FORMAT", "%Y-%m-%dT%H:%M:%S%z"}});
  return answer.ok() ? parse_job_info(answer.out, job_id) : std::nullopt;
}

namespace {

/// "POINTS-AT-ONCE STARTED-AT SECONDS-BEFORE gpu|node|shared_gpu", as the script of a pack says it.
void take_share(const std::string& text, JobInfo& job) {
  const auto words = split(text, ' ');
  const auto at_once = words.size() == 4 ? parse_integer(words[0]) : std::nullopt;
  if (at_once.value_or(0) < 1) {
    return;
  }
  job.points_at_once = *at_once;
  job.shares_gpu = job.gpus > 0 && *at_once > 1 && words[3] == "shared_gpu";
  job.tasks /= *at_once;
  job.cpus /= *at_once;
  job.memory_bytes /= *at_once;
  job.gpus /= job.shares_gpu ? 1 : *at_once;
  job.started_at = words[1];
  job.time_limit_s -= static_cast<double>(parse_integer(words[2]).value_or(0));
}

}  // namespace

std::optional<JobInfo> job_info(const Environment& environment, const std::string& job_id,
                                double timeout_s) {
  const auto handed_in = parse_job_info(variable(environment, "EPOCHCAST_JOB_INFO"), job_id);
  auto job = handed_in ? handed_in : query_job_info(job_id, timeout_s);
  if (job) {
    take_share(variable(environment, "EPOCHCAST_PACK"), *job);
  }
  return job;
}

}  // namespace epochcast::slurm
