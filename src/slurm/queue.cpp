#include "src/slurm/queue.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/slurm/job_info.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::slurm {
namespace {

// The comment comes last, since it may contain the separator.
constexpr const char* queue_format = "%A|%i|%T|%M|%r|%j|%k";
constexpr const char* accounting_format =
    "JobIDRaw,JobID,State,ElapsedRaw,ExitCode,Submit,JobName%256,Comment%256";

/// Splits a line into `count` cells; the last one keeps further separators.
std::vector<std::string> line_cells(const std::string& line, std::size_t count) {
  auto cells = split(line, '|');
  while (cells.size() > count) {
    cells[cells.size() - 2] += "|" + cells.back();
    cells.pop_back();
  }
  cells.resize(count);
  return cells;
}

std::string command_error(const process::CommandResult& result) {
  return result.timed_out ? "no answer in time" : first_line(result.err + "\n" + result.out);
}

Jobs parsed_jobs(const process::CommandResult& result,
                 std::vector<Job> (*parse)(std::string_view)) {
  if (result.ok()) {
    return {true, "", parse(result.out)};
  }
  return {false, command_error(result), {}};
}

Jobs query_sacct(const std::vector<std::string>& choice, double timeout_s) {
  std::vector<std::string> words{"sacct", "-X", "-P", "-n", "-o", accounting_format};
  words.insert(words.end(), choice.begin(), choice.end());
  return parsed_jobs(process::run_command(words, timeout_s, {{"SLURM_TIME_FORMAT", "%s"}}),
                     parse_accounting);
}

}  // namespace

JobState parse_state(std::string_view text) {
  return parse_enum<JobState>(text.substr(0, text.find_first_of(" +"))).value_or(JobState::unknown);
}

bool is_live(JobState state) {
  using enum JobState;
  constexpr std::array ended{completed,     cancelled, failed,        timeout,
                             node_fail,     preempted, boot_fail,     deadline,
                             out_of_memory, revoked,   launch_failed, reconfig_fail};
  return std::ranges::find(ended, state) == ended.end();
}

bool waits(JobState state) {
  using enum JobState;
  constexpr std::array waiting{pending,      requeued,      requeue_fed,
                               requeue_hold, resv_del_hold, special_exit};
  return std::ranges::find(waiting, state) != waiting.end();
}

bool holds_cpus(JobState state) {
  return is_live(state) && !waits(state) && state != JobState::suspended &&
         state != JobState::stage_out;
}

Jobs query_queue(double timeout_s) {
  const auto user = std::to_string(geteuid());
  return parsed_jobs(
      process::run_command({"squeue", "-h", "-r", "-t", "all", "-u", user, "-o", queue_format},
                           timeout_s),
      parse_queue);
}

std::map<std::string, JobTimes> query_times(double timeout_s) {
  const auto answer = process::run_command({"squeue", "-h", "-r", "-t", "PENDING,RUNNING", "-u",
                                            std::to_string(geteuid()), "-o", "%i|%T|%S|%L"},
                                           timeout_s, {{"SLURM_TIME_FORMAT", "%s"}});
  return parse_times(answer.ok() ? answer.out : "");
}

std::map<std::string, JobTimes> parse_times(std::string_view text) {
  std::map<std::string, JobTimes> times;
  for (const auto& line : split(text, '\n')) {
    if (const auto cells = split(line, '|'); cells.size() == 4) {
      times[cells[0]] = {waits(parse_state(cells[1])), parse_double(cells[2]),
                         parse_time_s(cells[3])};
    }
  }
  return times;
}

Jobs query_accounting(const std::vector<std::string>& names, double timeout_s) {
  constexpr std::size_t at_once = 500;  // the length of a command line is limited
  Jobs all{true, "", {}};
  for (std::size_t i = 0; i < names.size(); i += at_once) {
    const std::vector<std::string> some(
        names.begin() + static_cast<std::ptrdiff_t>(i),
        names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), i + at_once)));
    auto answer = query_sacct({"-j", join(some, ",")}, timeout_s);
    if (!answer.answered) {
      return answer;
    }
    all.jobs.insert(all.jobs.end(), answer.jobs.begin(), answer.jobs.end());
  }
  return all;
}

Jobs query_accounting_by_job_name(const std::string& job_name, double timeout_s) {
  return query_sacct({"--name", job_name, "-S", "1970-01-01", "-u", std::to_string(geteuid())},
                     timeout_s);
}

std::vector<Job> parse_queue(std::string_view text) {
  std::vector<Job> jobs;
  for (const auto& line : split(text, '\n')) {
    if (!line.empty()) {
      auto cells = line_cells(line, 7);
      jobs.push_back({.id = cells[0],
                      .name = cells[1],
                      .state = parse_state(cells[2]),
                      .reason = cells[4] == "None" ? "" : cells[4],
                      .comment = cells[6] == "(null)" ? "" : cells[6],
                      .job_name = cells[5],
                      .exit_code = "",
                      .elapsed_s = parse_time_s(cells[3]).value_or(0)});
    }
  }
  return jobs;
}

std::vector<Job> parse_accounting(std::string_view text) {
  std::vector<Job> jobs;
  for (const auto& line : split(text, '\n')) {
    if (!line.empty()) {
      auto cells = line_cells(line, 8);
      jobs.push_back({.id = cells[0],
                      .name = cells[1],
                      .state = parse_state(cells[2]),
                      .reason = "",
                      .comment = cells[7],
                      .job_name = cells[6],
                      .exit_code = cells[4],
                      .elapsed_s = parse_double(cells[3]).value_or(0),
                      .submitted_at_s = parse_double(cells[5]).value_or(0)});
    }
  }
  return jobs;
}

namespace {

/// "" for a job that never had nodes.
std::string assigned(std::string_view nodes) {
  nodes = trim(nodes);
  return nodes == "None assigned" ? "" : std::string(nodes);
}

}  // namespace

std::string node_list_of(const std::string& job, double timeout_s) {
  if (const auto info = query_job_info(job, timeout_s); info && !info->node_list.empty()) {
    return info->node_list;
  }
  const auto answer =
      process::run_command({"sacct", "-X", "-P", "-n", "-o", "NodeList", "-j", job}, timeout_s);
  return answer.ok() ? assigned(split(answer.out, '\n').front()) : "";
}

std::vector<NodeFailure> query_node_failures(std::int64_t days, double timeout_s) {
  const auto answer =
      process::run_command({"sacct", "-X", "-P", "-n", "-D", "-s", "NODE_FAIL,BOOT_FAIL", "-u",
                            std::to_string(geteuid()), "-S", fmt::format("now-{}days", days), "-E",
                            "now", "-o", "JobIDRaw,State,Start,NodeList"},
                           timeout_s, {{"SLURM_TIME_FORMAT", "%s"}});
  return parse_node_failures(answer.ok() ? answer.out : "");
}

std::vector<NodeFailure> parse_node_failures(std::string_view text) {
  std::vector<NodeFailure> failures;
  for (const auto& line : split(text, '\n')) {
    const auto cells = line_cells(line, 4);
    const auto state = parse_state(cells[1]);
    if (state == JobState::node_fail || state == JobState::boot_fail) {
      failures.push_back({cells[0], parse_double(cells[2]).value_or(0), assigned(cells[3])});
    }
  }
  return failures;
}

bool has_no_steps(const std::string& job, double timeout_s) {
  constexpr int looks = 10;
  for (int look = 0; look < looks; ++look) {
    const auto answer =
        process::run_command({"squeue", "-h", "-s", "-j", job, "-o", "%i"}, timeout_s);
    const auto steps = split(answer.out, '\n');
    if (answer.ok() && std::ranges::none_of(steps, [](std::string_view step) {
          step = trim(step);
          return !step.empty() && !step.ends_with(".batch") && !step.ends_with(".extern");
        })) {
      return true;
    }
    sleep(1);
  }
  return false;
}

std::string cancel_job(const std::string& job, double timeout_s) {
  const auto answer = process::run_command({"scancel", job}, timeout_s);
  return answer.ok() ? "" : command_error(answer);
}

std::string ask_to_stop(const std::string& job, double patience_s, double timeout_s) {
  constexpr double minute_s = 60;
  const auto signal = process::run_command({"scancel", "--batch", "--signal=USR1", job}, timeout_s);
  if (!signal.ok()) {
    return command_error(signal);
  }
  const auto times = process::run_command({"squeue", "-h", "-j", job, "-o", "%M|%l"}, timeout_s);
  const auto cells = split(trim(times.out), '|');
  const auto elapsed_s = cells.size() == 2 ? parse_time_s(cells[0]) : std::nullopt;
  const auto limit_s = cells.size() == 2 ? parse_time_s(cells[1]) : std::nullopt;
  if (times.ok() && elapsed_s) {  // otherwise it has ended
    const auto minutes = std::ceil((*elapsed_s + patience_s) / minute_s);
    if (limit_s.value_or(HUGE_VAL) > minutes * minute_s) {
      // Without this the job ends at its own limit, as one that ignores the signal does.
      std::ignore = process::run_command(
          {"scontrol", "update", "JobId=" + job, fmt::format("TimeLimit={:.0f}", minutes)},
          timeout_s);
    }
  }
  return "";
}

std::string first_line(std::string_view text) {
  for (const auto& line : split(text, '\n')) {
    if (!trim(line).empty()) {
      return std::string(trim(line));
    }
  }
  return "no error message";
}

}  // namespace epochcast::slurm
