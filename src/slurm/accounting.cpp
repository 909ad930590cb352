#include "src/slurm/accounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/accounting_cells.hpp"
#include "src/slurm/accounting_rows.hpp"

namespace epochcast::slurm {
namespace {

constexpr double minute_s = 60;
constexpr double longest_s = 1e9;  // 30 years

[[noreturn]] void refuse(const std::string& column, std::string_view found,
                         const std::string& expected) {
  throw Error(fmt::format("{}: found '{:.80}', expected {}", column, printable(found), expected));
}

/// A date in a form that is not read.
class UnknownDate : public Error {
 public:
  using Error::Error;
};

/// A state after which the same job goes on.
bool goes_on(JobState state) {
  using enum JobState;
  return state == requeued || state == requeue_fed || state == requeue_hold || state == resizing ||
         state == special_exit || state == revoked;
}

/// A state that may end a life of a job, or the whole job.
bool may_go_on(JobState state) {
  using enum JobState;
  return goes_on(state) || state == node_fail || state == preempted || state == boot_fail ||
         state == launch_failed;
}

/// What a step used, and when.
struct StepUse {
  double cpu_s = 0;           ///< As sampled.
  std::optional<double> mib;  ///< Of all its tasks.
  std::optional<double> start_s;
  double end_s = HUGE_VAL;
};

/// The most that steps held together; NaN if one of them is not known.
double most_together_mib(const std::vector<StepUse>& steps) {
  std::vector<std::pair<double, double>> changes;  // time, MiB
  for (const auto& step : steps) {
    if (!step.mib || (!step.start_s && steps.size() > 1)) {
      return std::nan("");
    }
    const double start_s = step.start_s.value_or(0);
    changes.emplace_back(start_s, *step.mib);
    changes.emplace_back(std::max(step.end_s, start_s + 1), -*step.mib);
  }
  std::ranges::sort(changes);  // of one second the ends first: a script's steps follow each other
  double now_mib = 0;
  double most_mib = std::nan("");
  for (const auto& [at_s, mib] : changes) {
    now_mib += mib;
    most_mib = std::fmax(most_mib, now_mib);
  }
  return most_mib;
}

class AccountingBuilder {
 public:
  AccountingBuilder(std::string_view text, const std::string& file)
      : rows_(text, file), file_(file) {}

  Accounting read() {
    AccountingRow row;
    std::string unknown_date;  // the problem of the first
    std::size_t unknown_dates = 0;
    while (rows_.next(row, accounting_.problems)) {
      try {
        take(row.cells);
      } catch (const UnknownDate& error) {
        if (unknown_dates++ == 0) {
          unknown_date = Error(file_, row.line, error.what()).what();
        }
      } catch (const Error& error) {
        accounting_.problems.emplace_back(Error(file_, row.line, error.what()).what());
      }
    }
    if (unknown_dates > 0) {
      accounting_.problems.push_back(fmt::format(
          "{}; {} left out, since their order is not known; if the site sets SLURM_TIME_FORMAT, "
          "call sacct again with SLURM_TIME_FORMAT=standard before it",
          unknown_date, counted(unknown_dates, "job")));
    }
    for (const auto& [place, steps] : steps_) {
      auto& job = accounting_.jobs[place];
      job.peak_memory_mib = most_together_mib(steps);
      // TotalCPU lacks processes that were killed; the samples have them, in whole seconds.
      const double sampled_s = summed(steps, [](const auto& step) { return step.cpu_s; });
      job.total_cpu_s = sampled_s > 0 ? std::fmax(job.total_cpu_s, sampled_s) : job.total_cpu_s;
    }
    number_lives();
    return std::move(accounting_);
  }

 private:
  using Cells = std::vector<std::string_view>;
  using Key = std::pair<std::string, std::string>;  ///< Cluster and job.

  std::string_view cell(const Cells& cells, const std::vector<std::string>& columns) const {
    return rows_.header().cell(cells, columns);
  }

  std::string text(const Cells& cells, const std::string& column) const {
    return printable(cell(cells, {column}));
  }

  /// As the cell has it.
  std::string stamp(const Cells& cells, const std::string& column) const {
    const auto found = cell(cells, {column});
    if (!is_stamp(found)) {
      throw UnknownDate(
          fmt::format("{}: found '{:.80}', expected a date such as 2026-03-28T11:00:00", column,
                      printable(found)));
    }
    return printable(found);
  }

  void take(const Cells& cells) {
    const auto id_text = cell(cells, {"JobID", "JobIDRaw"});
    const auto id = parse_job_id(id_text);
    if (!id) {
      refuse("JobID", id_text, "a job such as 123, 123_4 or 123.batch");
    }
    const auto state = state_of(cells);
    const Key key{text(cells, "Cluster"), id->job};
    if (id->is_step) {
      take_step(key, state, cells);
    } else if (is_live(state) && !goes_on(state)) {
      ++accounting_.not_ended;
    } else if (const auto leader = last_.find(key); id->is_component && leader != last_.end()) {
      add_component(accounting_.jobs[leader->second], accounted_job(cells, key, state));
    } else {
      accounting_.jobs.push_back(
          accounted_job(cells, key, state));  // throws before last_ knows the job
      last_[key] = accounting_.jobs.size() - 1;
    }
  }

  JobState state_of(const Cells& cells) const {
    const auto found = cell(cells, {"State"});
    const auto state = parse_state(found);
    if (state == JobState::unknown) {
      refuse("State", found, "a job state such as COMPLETED");
    }
    return state;
  }

  /// The job of a step that ran out of memory may only be FAILED.
  void take_step(const Key& key, JobState state, const Cells& cells) {
    const auto found = last_.find(key);
    if (found == last_.end()) {
      return;
    }
    auto& job = accounting_.jobs[found->second];
    if (state == JobState::out_of_memory && job.state == JobState::failed) {
      job.state = state;
    }
    const auto most = cell(cells, {"TRESUsageInMax"});
    const auto use = parse_double(tres_value(most, "gres/gpuutil"));
    job.gpu_peak_percent = std::fmax(job.gpu_peak_percent, use.value_or(std::nan("")));
    const auto gpu_mib = parse_used_mib(tres_value(most, "gres/gpumem"));
    job.gpu_memory_mib = std::fmax(job.gpu_memory_mib, gpu_mib.value_or(std::nan("")));
    if (auto step = step_use(cells)) {
      steps_[found->second].push_back(*step);
    }
  }

  /// MaxRSS is of one task. std::nullopt for the step of the node itself, which holds next to
  /// nothing and often is not sampled.
  std::optional<StepUse> step_use(const Cells& cells) const {
    const bool is_of_node = cell(cells, {"JobID", "JobIDRaw"}).ends_with(".extern");
    const auto used = cell(cells, {"TRESUsageInTot"});
    StepUse step{.cpu_s = parse_elapsed_s(tres_value(used, "cpu")).value_or(0),
                 .mib = parse_used_mib(tres_value(used, "mem")),
                 .start_s = parse_stamp_s(cell(cells, {"Start"})),
                 .end_s = parse_stamp_s(cell(cells, {"End"})).value_or(HUGE_VAL)};
    const auto tasks = parse_integer(cell(cells, {"NTasks"}));
    const auto of_task = parse_used_mib(cell(cells, {"MaxRSS"}));
    if (!step.mib && tasks && of_task) {
      step.mib = *of_task * static_cast<double>(*tasks);
    }
    return is_of_node && !step.mib ? std::nullopt : std::optional(step);
  }

  static void add_component(AccountedJob& job, const AccountedJob& component) {
    job.nodes += component.nodes;
    job.cpus += component.cpus;
    job.gpus += component.gpus;
    job.memory_mib += component.memory_mib;
    job.total_cpu_s += component.total_cpu_s;
    job.elapsed_s = std::max(job.elapsed_s, component.elapsed_s);
    if (component.gpu != job.gpu && !component.gpu.empty()) {
      job.gpu += (job.gpu.empty() ? "" : "+") + component.gpu;
    }
    if (component.partition != job.partition) {
      job.partition += "+" + component.partition;
    }
    if (job.state == JobState::completed) {
      job.state = component.state;
    }
  }

  AccountedJob accounted_job(const Cells& cells, const Key& key, JobState state) const {
    AccountedJob job{.cluster = key.first, .job = key.second};
    job.restarts = parse_integer(cell(cells, {"Restarts"})).value_or(0);
    job.user = text(cells, "User");
    job.account = text(cells, "Account");
    job.job_name = text(cells, "JobName");
    job.work_dir = text(cells, "WorkDir");
    job.script = printable(script_of(cell(cells, {"SubmitLine"}), cell(cells, {"JobName"})));
    job.partition = text(cells, "Partition");
    take_resources(cells, job);
    job.node_list = text(cells, "NodeList");
    job.submitted_at = stamp(cells, "Submit");
    job.eligible_at = stamp(cells, "Eligible");
    job.started_at = stamp(cells, "Start");
    job.ended_at = stamp(cells, "End");
    job.limit_s = limit_s(cells);
    job.elapsed_s = elapsed_s(cells);
    job.state = state;
    job.cause = end_cause(cells, state);
    // 0 stands where the site gathers nothing: a script alone takes milliseconds.
    if (const auto cpu_s = parse_elapsed_s(cell(cells, {"TotalCPU"})); cpu_s && *cpu_s > 0) {
      job.total_cpu_s = *cpu_s;
    }
    return job;
  }

  void take_resources(const Cells& cells, AccountedJob& job) const {
    const auto tres = parse_tres(cell(cells, {"AllocTRES", "ReqTRES"}));
    job.nodes = tres.nodes > 0 ? tres.nodes : count(cells, {"AllocNodes", "NNodes", "ReqNodes"});
    job.cpus = tres.cpus > 0 ? tres.cpus : count(cells, {"AllocCPUS", "NCPUS", "ReqCPUS"});
    job.gpus = tres.gpus;
    job.memory_mib = tres.memory_mib;
    job.gpu = printable(tres.gpu);
  }

  std::int64_t count(const Cells& cells, const std::vector<std::string>& columns) const {
    constexpr std::int64_t most = 1'000'000'000;
    return std::clamp<std::int64_t>(parse_integer(cell(cells, columns)).value_or(0), 0, most);
  }

  double limit_s(const Cells& cells) const {
    if (const auto minutes = parse_integer(cell(cells, {"TimelimitRaw"}))) {
      return *minutes >= 0 ? static_cast<double>(*minutes) * minute_s : std::nan("");
    }
    const auto limit = parse_limit_s(cell(cells, {"Timelimit", "TimelimitRaw"}));
    return limit ? (std::isinf(*limit) ? 0 : *limit) : std::nan("");
  }

  double elapsed_s(const Cells& cells) const {
    auto seconds = std::optional<double>();
    const auto raw = cell(cells, {"ElapsedRaw"});
    const auto shown = cell(cells, {"Elapsed"});
    if (const auto whole = parse_integer(raw)) {
      seconds = static_cast<double>(*whole);
    } else if (!shown.empty()) {
      seconds = parse_elapsed_s(shown);
    } else {
      const auto start = parse_stamp_s(cell(cells, {"Start"}));
      const auto end = parse_stamp_s(cell(cells, {"End"}));
      seconds = start && end ? std::optional(*end - *start) : std::nullopt;
    }
    if (!seconds || *seconds < 0 || *seconds > longest_s) {
      refuse("Elapsed", raw.empty() ? shown : raw, "a time such as 1-02:03:04");
    }
    return *seconds;
  }

  std::string end_cause(const Cells& cells, JobState state) const {
    if (state == JobState::cancelled) {
      const auto by = cell(cells, {"State"});
      const auto blank = by.find(' ');
      return blank == std::string_view::npos ? "" : printable(by.substr(blank + 1));
    }
    const auto code = text(cells, "ExitCode");
    return code == "0:0" || code.empty() ? "" : "exit code " + code;
  }

  /// Counts the earlier lives of each job, in the order of their starts.
  void number_lives() {
    std::map<Key, std::vector<AccountedJob*>> jobs;
    for (auto& job : accounting_.jobs) {
      jobs[{job.cluster, job.job}].push_back(&job);
    }
    for (auto& [key, lives] : jobs) {
      std::ranges::stable_sort(
          lives, {}, [](const auto* life) { return parse_stamp_s(life->started_at).value_or(0); });
      std::int64_t earlier = 0;
      for (auto* life : lives) {
        life->restarts = std::max(life->restarts, earlier);
        earlier = may_go_on(life->state) ? earlier + 1 : 0;
      }
    }
  }

  AccountingReader rows_;
  std::string file_;
  std::map<Key, std::size_t> last_;                    ///< Place of the latest row of a job.
  std::map<std::size_t, std::vector<StepUse>> steps_;  ///< By the place of their job.
  Accounting accounting_;
};

}  // namespace

Accounting read_accounting(std::string_view text, const std::string& file) {
  return AccountingBuilder(text, file).read();
}

}  // namespace epochcast::slurm
