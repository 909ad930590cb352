#include "jobs/local/local_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/remaining.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/scheduler/local.hpp"
#include "jobs/submit/resubmit.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/child.hpp"
#include "src/measure/attempt/machine_cpus.hpp"

namespace epochcast::jobs {
namespace {

/// Assumes that the points of one allocation take time in proportion to their weight (epochs). An
/// allocation without a finished point is assumed to be as fast as the others.
class Eta {
 public:
  void expect(const std::string& allocation, double weight) {
    tallies_[allocation].expected += weight;
  }
  /// A point that ran for its whole length.
  void took(const std::string& allocation, double weight, double seconds) {
    tallies_[allocation].done += weight;
    tallies_[allocation].seconds += seconds;
  }
  /// A point that failed: its time shows nothing about the others.
  void failed(const std::string& allocation, double weight) { expect(allocation, -weight); }

  /// "about 12m left", or "no forecast yet". `more_s`: of a point that is in none of the above.
  std::string text(double more_s = 0) const {
    Tally all;
    for (const auto& [name, tally] : tallies_) {
      all.done += tally.done;
      all.seconds += tally.seconds;
    }
    if (all.done == 0) {
      return "no forecast yet";
    }
    double left_s = more_s;
    for (const auto& [name, tally] : tallies_) {
      const auto& known = tally.done > 0 ? tally : all;
      left_s += (tally.expected - tally.done) * known.seconds / known.done;
    }
    return fmt::format("about {} left", format_duration(std::ceil(left_s)));
  }

 private:
  struct Tally {
    double expected = 0;
    double done = 0;
    double seconds = 0;
  };
  std::map<std::string, Tally> tallies_;
};

using Tell = std::function<void(const std::string&)>;

/// When the progress of a running point is told.
constexpr double first_progress_s = 10;
constexpr double least_between_s = 60;
constexpr double share_between = 0.1;  ///< Of the time so far.

class Runner : public LocalScheduler {
 public:
  Runner(const RunRequest& request, const Tell& tell)
      : request_(request), out_(request.out), origin_(read_origin(out_)), tell_(tell) {
    const auto index = read_index(out_);
    epochs_ = index.column("epochs");
    for (const auto& row : select(index, request.filters)) {
      if (row[Index::current] == "yes") {
        rows_.push_back(row);
      }
    }
  }

  RunReport run_all() {
    look();
    const auto todo = points_to_run();
    run_points(todo, {.failed = true, .timeout = true, .missing = true});
    if (report_.ran_nothing() && todo.empty()) {
      tell_(fmt::format("no point can run here: all {} are skipped", report_.excluded));
    }
    while (repeat_ < request_.repeat_disturbed && !process::is_interrupted()) {
      ++repeat_;
      look();
      run_points(points_to_repeat(), {.disturbed = true});
    }
    report_.interrupted = process::is_interrupted();
    return report_;
  }

 private:
  void look() {
    for (auto& point : status_with_lost_closed(request_.out, request_.filters).points) {
      before_[point.point] = point;
    }
  }

  /// Releases what `filter` selects of the points, and runs them all.
  void run_points(const std::vector<CsvRow>& todo, const ResubmitFilter& filter) {
    require_programs(todo);
    std::vector<std::string> points;
    for (const auto& row : todo) {
      eta_.expect(row[Index::allocation], weight(row));
      points.push_back(row[Index::point]);
      running_[points.back()] = {row, fmt::format("{}/{}", points.size(), todo.size())};
    }
    again(points, filter);
  }

  void again(const std::vector<std::string>& points, const ResubmitFilter& filter) {
    if (points.empty()) {  // that would mean all of them
      return;
    }
    const SubmitRequest request{.out = request_.out,
                                .filters = {},
                                .points = points,
                                .limits = request_.limits,
                                .pack = false,
                                .lock_timeout_s = many_jobs_end_s};
    std::ignore = resubmit(request, filter);
    std::ranges::for_each(submit_locked(request).notes, tell_);
  }

  /// The time of a point is assumed to be proportional to this.
  double weight(const CsvRow& row) const {
    return epochs_ ? parse_double(row[*epochs_]).value_or(1) : 1;
  }

  /// Those that ran here.
  std::vector<CsvRow> points_to_repeat() {
    std::vector<CsvRow> todo;
    std::ranges::copy_if(rows_, std::back_inserter(todo), [&](const CsvRow& row) {
      const auto& before = before_.at(row[Index::point]);
      const auto& site = profile_of(origin_.cluster, row[Index::allocation]);
      return !before.disturbed.empty() && is_local_job(before.job) &&
             attempt::why_not_here(site.asks).empty();
    });
    report_.complete -= todo.size();
    return todo;
  }

  std::vector<CsvRow> points_to_run() {
    std::map<std::string, std::string> refused;
    for (const auto& site : origin_.cluster.allocations) {
      refused[site.name] = attempt::why_not_here(site.asks);
    }
    std::map<std::string, std::size_t> excluded;
    std::vector<CsvRow> todo;
    for (const auto& row : rows_) {
      const auto& reason = refused[row[Index::allocation]];
      const auto& before = before_.at(row[Index::point]);
      if (before.state == PointState::complete && !before.is_released) {
        ++report_.complete;
      } else if (!before.job.empty() && !is_local_job(before.job)) {
        ++report_.excluded;
        tell_(
            fmt::format("{} is skipped: job {} of the scheduler has it", before.point, before.job));
      } else if (const auto why = request_.skip.find(before.point); why != request_.skip.end()) {
        ++report_.failed;
        tell_(fmt::format("{} is skipped: {}", before.point, why->second));
      } else if (!reason.empty()) {
        ++excluded[row[Index::allocation]];
        ++report_.excluded;
      } else {
        todo.push_back(row);
      }
    }
    for (const auto& [allocation, count] : excluded) {
      tell_(fmt::format("allocation '{}' is skipped ({}): {}", allocation, counted(count, "point"),
                        refused[allocation]));
    }
    return todo;
  }

  /// Checks before the first point starts, instead of "command not found" in every log.
  void require_programs(const std::vector<CsvRow>& todo) const {
    for (const auto& row : todo) {
      const auto& site = profile_of(origin_.cluster, row[Index::allocation]);
      if (const auto missing = missing_program(site, origin_.context); !missing.empty()) {
        throw Error(
            fmt::format("allocation '{}': the program '{}' does not exist or is not executable; "
                        "build or install "
                        "it, or set 'trainer' or 'launch_prefix' in the profile",
                        site.name, missing));
      }
    }
  }

  /// What `retry:` says of a point that has ended.
  std::optional<NextAttempt> next_attempt(const std::string& point, const process::ChildEnd& end) {
    if (end.status == exit_done || process::is_interrupted()) {
      return std::nullopt;
    }
    before_[point] = status_with_lost_closed(out_.root, {"point=" + point}).points.front();
    return policy_.next(before_[point]);
  }

  void take(const JobRequest& request, const process::ChildEnd& end) override {
    const auto point = point_of(request);
    const auto text = fmt::format("{} after {} s", text_of(end), format_fixed(end.wall_s, 1));
    const auto next = next_attempt(point, end);
    if (next && next->is_allowed()) {
      tell_(fmt::format("{}: {}, {} by retry: {}", name_of(point), text,
                        next->rule.action == "restart" ? "starts over" : "resumes",
                        to_text(before_.at(point).cause)));
      again({point}, {.retry = true});
      return;
    }
    count(running_.at(point).row, end);
    tell_(fmt::format("{}: {}{}{}", name_of(point), text,
                      next ? ", not again by retry: " + next->why_not : "",
                      end.status == exit_done ? "" : ", log " + last_log_));
  }

  process::ChildEnd run(const JobRequest& request, const std::string& job) override {
    const auto point = point_of(request);
    const auto& row = running_.at(point).row;
    const auto& site = profile_of(origin_.cluster, row[Index::allocation]);
    const auto name = name_of(point);
    process::ChildSpec child{
        .script = request.script,
        .log = out_.logs() / fmt::format("{}-{}.out", point, job),
        .cpus = *attempt::cpus_for(site.asks),
        .environment = {{"SLURM_CPUS_PER_TASK", std::to_string(site.asks.cpus)},
                        {"EPOCHCAST_JOB_ID", job}},
        .limit_s = request.limit.value_or(site.asks.time).value,
        .lead_s = site.launch.signal_lead.value,
        .kill_wait_s = site.launch.kill_wait.value};
    last_log_ = child.log;
    tell_(repeat_ > 0 ? fmt::format("{}: was disturbed ({}): repeats it, {} of {}", name,
                                    before_.at(point).disturbed, repeat_, request_.repeat_disturbed)
                      : fmt::format("{}: running, {}", name, eta_.text()));
    if (child.limit_s > 0) {  // as Slurm tells a job; a program is warned by it
      child.environment["SLURM_JOB_END_TIME"] =
          std::to_string(std::time(nullptr) + static_cast<std::int64_t>(child.limit_s));
    }
    double next_s = first_progress_s;
    child.watch = [&](double now_s) {
      if (now_s < next_s) {
        return;
      }
      if (const auto text = progress_text(row, job, now_s); !text.empty()) {
        next_s = now_s + std::max(least_between_s, share_between * now_s);
        tell_(fmt::format("{}: {}", name, text));
      }
    };
    return process::run_child(child);
  }

  void count(const CsvRow& row, const process::ChildEnd& end) {
    if (end.status == exit_done || end.status == exit_stopped) {
      eta_.took(row[Index::allocation], weight(row), end.wall_s);
    } else {
      eta_.failed(row[Index::allocation], weight(row));
    }
    ++(end.status == exit_done      ? report_.complete
       : end.status == exit_stopped ? report_.stopped
                                    : report_.failed);
  }

  /// "epoch 3 of 10, about 1m12s left of this point; about 6m left"; "" if it is too early.
  std::string progress_text(const CsvRow& row, const std::string& job, double now_s) const {
    Progress progress;
    try {
      progress = progress_of(out_.records() / fmt::format("{}-{}.h5", row[Index::point], job));
    } catch (const Error&) {  // no record yet
    }
    if (!progress.left_s) {
      return "";
    }
    auto eta = eta_;
    eta.took(row[Index::allocation], weight(row), now_s + *progress.left_s);
    const auto epoch =
        progress.epoch && progress.epochs
            ? fmt::format("epoch {} of {}, ", std::min(*progress.epoch + 1, *progress.epochs),
                          *progress.epochs)
            : "";
    return fmt::format("{}about {} left of this point; {}", epoch,
                       format_duration(std::ceil(*progress.left_s)), eta.text(*progress.left_s));
  }

  static std::string text_of(const process::ChildEnd& end) {
    if (end.status == exit_done) {
      return "complete";
    }
    if (end.status == exit_stopped) {
      return end.interrupted ? "stopped on request" : "stopped at its time limit";
    }
    return fmt::format("{} (exit {})", end.timed_out ? "killed at its time limit" : "failed",
                       end.status);
  }

  struct Running {
    CsvRow row;
    std::string position;  ///< "3/8".
  };

  static std::string point_of(const JobRequest& request) {
    return std::filesystem::path(request.script).stem();
  }
  std::string name_of(const std::string& point) const {
    return running_.at(point).position + " " + shown_name(point, before_.at(point).swept);
  }

  const RunRequest& request_;
  std::int64_t repeat_ = 0;
  OutFolder out_;
  Origin origin_;
  RetryPolicy policy_{out_};
  const Tell& tell_;
  std::map<std::string, PointStatus> before_;
  std::vector<CsvRow> rows_;
  std::map<std::string, Running> running_;  ///< The points of this round.
  std::optional<std::size_t> epochs_;
  Eta eta_;
  RunReport report_;
  std::string last_log_;
};

}  // namespace

ExitStatus RunReport::exit_status() const {
  if (failed > 0 || (ran_nothing() && !interrupted)) {
    return exit_failed;
  }
  return stopped > 0 || interrupted ? exit_stopped : exit_done;
}

RunReport run_here(const RunRequest& request, const Tell& tell) {
  const OutFolder out(request.out);
  read_index(out);
  require_made_here(out);
  // The scripts inherit the lock, so no other process runs points here while one of them lives,
  // even after this process was killed.
  const FolderLock lock(out.root / ".run.lock", "run", FileLock::Inherit::children);
  process::note_interrupts();
  return Runner(request, tell).run_all();
}

}  // namespace epochcast::jobs
