// Slurm behind the scheduler: its commands, and what they print.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "jobs/scheduler/scheduler.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::jobs {
namespace {

using Words = std::vector<std::string>;
using process::CommandResult;

CommandResult ask(const Words& words, const std::map<std::string, std::string>& environment = {}) {
  constexpr double timeout_s = 60;
  return process::run_command(words, timeout_s, environment);
}

/// The same with the times that Slurm prints in the form `time_format`.
CommandResult ask_with_times(const Words& words, const std::string& time_format) {
  return ask(words, {{"SLURM_TIME_FORMAT", time_format}});
}

/// Why a command failed; "": it did not.
std::string error_of_slurm(const CommandResult& result) {
  return result.ok()        ? ""
         : result.timed_out ? "no answer in time"
                            : slurm::first_line(result.err + "\n" + result.out);
}

slurm::Jobs jobs_of(const CommandResult& result,
                    std::vector<slurm::Job> (*parse)(std::string_view)) {
  if (result.ok() && !result.out.empty() && !result.out.ends_with('\n')) {
    return {false, "its answer ends within a line", {}};
  }
  return {result.ok(), error_of_slurm(result),
          result.ok() ? parse(result.out) : std::vector<slurm::Job>{}};
}

slurm::Jobs ask_sacct(const Words& choice) {
  Words words{"sacct", "-X", "-P", "-n", "-o", slurm::accounting_format};
  append(words, choice);
  return jobs_of(ask_with_times(words, "%s"), slurm::parse_accounting);
}

std::string user_id() {
  return std::to_string(geteuid());
}

std::string user_variable() {
  const char* user = std::getenv("USER");
  return user == nullptr ? "" : user;
}

/// A column of this user's entries in the accounting, without empty and repeated values.
Words ask_sacctmgr(const Words& words) {
  Words all{"sacctmgr", "-n", "-P", "show"};
  append(all, words);
  const auto answer = ask(all);
  Words values;
  for (const auto& line : split(answer.ok() ? answer.out : "", '\n')) {
    std::string value(trim(line));
    if (!value.empty() && std::ranges::find(values, value) == values.end()) {
      values.push_back(std::move(value));
    }
  }
  return values;
}

/// "MaxArraySize            = 1001" of `scontrol show config`.
std::optional<std::int64_t> config_number(const std::string& text, std::string_view name) {
  for (const auto& line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals != std::string::npos && trim(std::string_view(line).substr(0, equals)) == name) {
      return parse_integer(trim(std::string_view(line).substr(equals + 1)));
    }
  }
  return std::nullopt;
}

/// The id in the last line: sites print banners before it, federations ";cluster" after it.
std::string submitted_id(const std::string& out) {
  const auto lines = split(trim(out), '\n');
  const auto id =
      lines.empty() ? "" : std::string(trim(lines.back().substr(0, lines.back().find(';'))));
  const bool number = id.find_first_not_of("0123456789") == std::string::npos;
  return number ? id : "";
}

bool may_have_arrived(const CommandResult& result) {
  constexpr std::array signs{"Unable to contact", "timed out", "Zero Bytes", "Unexpected message",
                             "Connection refused"};
  return result.timed_out || result.status > 128 ||
         std::any_of(signs.begin(), signs.end(),
                     [&](const char* sign) { return result.err.find(sign) != std::string::npos; });
}

class Slurm : public Scheduler {
 public:
  SubmitAnswer submit(const JobRequest& request) override {
    using enum SubmitAnswer::Kind;
    constexpr double timeout_s = 120;
    const auto result = process::run_command(sbatch_words(request), timeout_s);
    const auto message = slurm::first_line(result.err + "\n" + result.out);
    if (!result.ok()) {
      return {may_have_arrived(result) ? unknown : refused, message};
    }
    const auto id = submitted_id(result.out);
    return id.empty() ? SubmitAnswer{unknown, "sbatch succeeded without a job id: " + message}
                      : SubmitAnswer{job, id};
  }

  std::vector<std::string> refusal_of(const std::string& script) override {
    const auto answer = ask({"sbatch", "--test-only", script});
    std::vector<std::string> lines;
    for (const auto& line : split(answer.ok() ? "" : answer.err, '\n')) {
      if (!trim(line).empty()) {
        lines.emplace_back(trim(line));
      }
    }
    return answer.ok() || !lines.empty() ? lines : std::vector{error_of_slurm(answer)};
  }

  std::string change(const std::string& job, const JobChange& change) override {
    Words words{"scontrol", "update", "JobId=" + job};
    if (change.limit) {
      words.push_back("TimeLimit=" + slurm_time(*change.limit));
    }
    if (change.least_limit) {
      words.push_back("TimeMin=" + slurm_time(*change.least_limit));
    }
    if (!change.memory.empty()) {
      words.push_back(change.memory);
    }
    return error_of_slurm(ask(words));
  }

  std::string cancel(const std::string& job) override {
    return error_of_slurm(ask({"scancel", job}));
  }

  std::string ask_to_stop(const std::string& job, double patience_s) override {
    constexpr double one_minute_s = 60;
    const auto signal = ask({"scancel", "--batch", "--signal=USR1", job});
    if (!signal.ok()) {
      return error_of_slurm(signal);
    }
    const auto times = ask({"squeue", "-h", "-j", job, "-o", "%M|%l"});
    const auto cells = split(trim(times.out), '|');
    const auto elapsed_s = cells.size() == 2 ? slurm::parse_time_s(cells[0]) : std::nullopt;
    const auto limit_s = cells.size() == 2 ? slurm::parse_time_s(cells[1]) : std::nullopt;
    if (times.ok() && elapsed_s) {  // otherwise it has ended
      const auto minutes = std::ceil((*elapsed_s + patience_s) / one_minute_s);
      if (limit_s.value_or(HUGE_VAL) > minutes * one_minute_s) {
        // Without this the job ends at its own limit, as one that ignores the signal does.
        std::ignore =
            ask({"scontrol", "update", "JobId=" + job, fmt::format("TimeLimit={:.0f}", minutes)});
      }
    }
    return "";
  }

  slurm::Jobs queue() override {
    return jobs_of(
        ask({"squeue", "-h", "-r", "-t", "all", "-u", user_id(), "-o", slurm::queue_format}),
        slurm::parse_queue);
  }

  slurm::Jobs accounting(const std::vector<std::string>& names) override {
    constexpr std::size_t at_once = 500;  // the length of a command line is limited
    slurm::Jobs all{true, "", {}};
    for (std::size_t i = 0; i < names.size(); i += at_once) {
      const std::vector<std::string> some(
          names.begin() + static_cast<std::ptrdiff_t>(i),
          names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), i + at_once)));
      auto answer = ask_sacct({"-j", join(some, ",")});
      if (!answer.answered) {
        return answer;
      }
      append(all.jobs, std::move(answer.jobs));
    }
    return all;
  }

  slurm::Jobs accounting_by_job_name(const std::string& job_name) override {
    return ask_sacct({"--name", job_name, "-S", "1970-01-01", "-u", user_id()});
  }

  std::map<std::string, slurm::JobTimes> times() override {
    const auto answer = ask_with_times(
        {"squeue", "-h", "-r", "-t", "PENDING,RUNNING", "-u", user_id(), "-o", "%i|%T|%S|%L"},
        "%s");
    return slurm::parse_times(answer.ok() ? answer.out : "");
  }

  std::optional<slurm::JobInfo> info(const std::string& job) override {
    constexpr double timeout_s = 60;
    return slurm::query_job_info(job, timeout_s);
  }

  std::string node_list_of(const std::string& job) override {
    if (const auto known = info(job); known && !known->node_list.empty()) {
      return known->node_list;
    }
    const auto answer = ask({"sacct", "-X", "-P", "-n", "-o", "NodeList", "-j", job});
    return answer.ok() ? slurm::assigned_nodes(split(answer.out, '\n').front()) : "";
  }

  bool has_no_steps(const std::string& job) override {
    constexpr int looks = 10;
    for (int look = 0; look < looks; ++look) {
      const auto answer = ask({"squeue", "-h", "-s", "-j", job, "-o", "%i"});
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

  /// Asks sinfo, `scontrol show partition` for the limits that sinfo does not print, and `scontrol
  /// show config`; hidden partitions too.
  slurm::Site site() override {
    const auto answer = ask({"sinfo", "-a", "-h", "-o", "%P|%l|%c|%m|%G|%D|%Z|%f"});
    if (!answer.ok()) {
      return {false, error_of_slurm(answer), {}};
    }
    slurm::Site site{true, "", slurm::parse_site(answer.out)};
    if (const auto limits = ask({"scontrol", "-a", "show", "partition"}); limits.ok()) {
      slurm::add_partition_limits(limits.out, site.partitions);
    }
    if (const auto config = ask_config(); config.ok()) {
      slurm::add_config(config.out, site);
    }
    return site;
  }

  slurm::ClusterState state() override {
    const auto nodes = ask({"scontrol", "-a", "show", "node", "-o"});
    const auto jobs = ask_with_times({"squeue", "-a", "-h", "-r", "-t", "PD,R,S,CF,CG,RS,SI,ST",
                                      "-O", slurm::queued_job_format()},
                                     "standard");
    for (const auto& answer : {nodes, jobs}) {
      if (!answer.ok()) {
        return {.error = error_of_slurm(answer), .nodes = {}, .jobs = {}, .problems = {}};
      }
    }
    slurm::ClusterState state{.answered = true,
                              .error = "",
                              .nodes = slurm::parse_nodes(nodes.out),
                              .jobs = {},
                              .problems = {}};
    state.jobs = slurm::parse_queued_jobs(jobs.out, state.problems);
    if (const auto config = ask_config(); config.ok()) {
      state.backfill_interval_s = slurm::parse_backfill_interval_s(config.out);
      state.counts_memory = slurm::parse_counts_memory(config.out);
    }
    const auto plans = ask({"scontrol", "show", "reservation", "-o"});
    for (const auto& line : split(plans.ok() ? plans.out : "", '\n')) {
      state.reservations += line.starts_with("ReservationName=") ? 1 : 0;
    }
    return state;
  }

  slurm::PastJobsAnswer past_jobs(std::int64_t days) override {
    constexpr auto columns =
        "JobID,User,Account,Partition,State,ExitCode,Submit,Eligible,Start,End,ElapsedRaw,"
        "TimelimitRaw,AllocTRES,ReqTRES,NNodes,NCPUS,NodeList,JobName";
    const auto answer =
        ask_with_times({"sacct", "-a", "-X", "-P", "-D", "-S", fmt::format("now-{}days", days),
                        "-E", "now", "-o", columns},
                       "standard");
    return answer.ok()
               ? slurm::PastJobsAnswer{true, "", slurm::read_accounting(answer.out, "sacct")}
               : slurm::PastJobsAnswer{false, error_of_slurm(answer), {}};
  }

  std::vector<slurm::NodeFailure> node_failures(std::int64_t days) override {
    const auto answer = ask_with_times(
        {"sacct", "-X", "-P", "-n", "-D", "-s", "NODE_FAIL,BOOT_FAIL", "-u", user_id(), "-S",
         fmt::format("now-{}days", days), "-E", "now", "-o", "JobIDRaw,State,Start,NodeList"},
        "%s");
    return slurm::parse_node_failures(answer.ok() ? answer.out : "");
  }

  std::optional<SiteLimits> limits() override {
    const auto config = ask_config();
    if (!config.ok()) {
      return std::nullopt;
    }
    SiteLimits limits;
    limits.max_array_size =
        config_number(config.out, "MaxArraySize").value_or(limits.max_array_size);
    limits.max_job_count = config_number(config.out, "MaxJobCount").value_or(limits.max_job_count);
    // The smallest of the user's associations.
    for (const auto& value :
         ask_sacctmgr({"assoc", "user=" + user_variable(), "format=maxsubmit"})) {
      if (const auto most = parse_integer(value)) {
        limits.max_submit = std::min(*most, limits.max_submit.value_or(*most));
      }
    }
    return limits;
  }

  UserAccounts accounts() override {
    const auto defaults = ask_sacctmgr({"user", user_variable(), "format=defaultaccount"});
    return {defaults.empty() ? "" : defaults.front(),
            ask_sacctmgr({"assoc", "user=" + user_variable(), "format=account"})};
  }

 private:
  static CommandResult ask_config() { return ask({"scontrol", "show", "config"}); }
};

}  // namespace

std::vector<std::string> sbatch_words(const JobRequest& request) {
  Words words{"sbatch", "--parsable", "--comment=" + request.comment};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) {
      words.push_back("--" + option + value);
    }
  };
  add("exclude=", join(request.exclude, ","));
  if (request.elements > 0) {
    words.push_back(fmt::format("--array=0-{}", request.elements - 1) +
                    (request.at_once > 0 ? fmt::format("%{}", request.at_once) : ""));
  }
  add("time=", request.limit ? slurm_time(*request.limit) : "");
  add("time-min=", request.least_limit ? slurm_time(*request.least_limit) : "");
  Words waits;
  if (!request.after_success.empty()) {
    words.emplace_back("--kill-on-invalid-dep=yes");
    waits.push_back("afterok:" + request.after_success);
  }
  if (!request.after_end.empty()) {
    waits.push_back("afterany:" + request.after_end);
  }
  add("dependency=", join(waits, ","));
  add("", request.memory);
  add("job-name=", request.job_name);
  words.push_back(request.script);
  return words;
}

Scheduler& slurm_scheduler() {
  static Slurm slurm;
  return slurm;
}

}  // namespace epochcast::jobs
