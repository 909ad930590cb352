#include "jobs/local/local_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
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
    for (const auto& site : origin_.cluster.allocations) {
      refused_[site.name] = attempt::why_not_here(site.asks);
    }
  }

  RunReport run_all() {
    run_points(points_to_run(), {.failed = true, .timeout = true, .missing = true});
    if (report_.ran_nothing() && !process::is_interrupted()) {
      tell_(fmt::format("no point can run here: all {} are skipped", report_.excluded));
    }
    while (repeat_ < request_.repeat_disturbed && !process::is_interrupted()) {
      ++repeat_;
      run_points(points_to_repeat(), {.disturbed = true});
    }
    report_.interrupted = process::is_interrupted();
    return report_;
  }

 private:
  struct Point {
    PointStatus status;         ///< Before it runs.
    double weight = 1;          ///< Its time is assumed to be proportional to this.
    std::string position = {};  ///< "3/8".
  };

  /// In the order of the index.
  std::vector<Point> all_points() const {
    std::map<std::string, PointStatus> known;
    for (auto& point : status_with_lost_closed(request_.out, request_.filters).points) {
      known[point.point] = point;
    }
    std::vector<Point> points;
    const auto index = read_index(out_);
    const auto epochs = index.column("epochs");
    for (const auto& row : select(index, request_.filters)) {
      if (row[Index::current] == "yes") {
        points.push_back(
            {known.at(row[Index::point]), epochs ? parse_double(row[*epochs]).value_or(1) : 1});
      }
    }
    return points;
  }

  /// Those that ran here.
  std::vector<Point> points_to_repeat() {
    auto points = all_points();
    std::erase_if(points, [&](const Point& point) {
      return point.status.disturbed.empty() || !is_local_job(point.status.job) ||
             !refused_[point.status.allocation].empty();
    });
    report_.complete -= points.size();
    return points;
  }

  std::vector<Point> points_to_run() {
    std::map<std::string, std::size_t> excluded;
    auto points = all_points();
    std::erase_if(points, [&](const Point& point) {
      const auto& before = point.status;
      if (before.state == PointState::complete && !before.is_released) {
        ++report_.complete;
      } else if (!before.job.empty() && !is_local_job(before.job)) {
        ++report_.excluded;
        tell_(
            fmt::format("{} is skipped: job {} of the scheduler has it", before.point, before.job));
      } else if (const auto why = request_.skip.find(before.point); why != request_.skip.end()) {
        ++report_.failed;
        tell_(fmt::format("{} is skipped: {}", before.point, why->second));
      } else if (!refused_[before.allocation].empty()) {
        ++excluded[before.allocation];
        ++report_.excluded;
      } else {
        return false;
      }
      return true;
    });
    for (const auto& [allocation, count] : excluded) {
      tell_(fmt::format("allocation '{}' is skipped ({}): {}", allocation, counted(count, "point"),
                        refused_[allocation]));
    }
    return points;
  }

  /// Releases what `filter` selects of the points, and runs them all.
  void run_points(std::vector<Point> todo, const ResubmitFilter& filter) {
    std::vector<std::string> names;
    for (auto& point : todo) {
      require_program(site_of(point));
      eta_.expect(point.status.allocation, point.weight);
      names.push_back(point.status.point);
      point.position = fmt::format("{}/{}", names.size(), todo.size());
      points_[names.back()] = std::move(point);
    }
    submit_again(names, filter);
  }

  void submit_again(const std::vector<std::string>& points, const ResubmitFilter& filter) {
    if (points.empty()) {  // that would mean all of them
      return;
    }
    const SubmitRequest request{.out = request_.out,
                                .points = points,
                                .limits = request_.limits,
                                .pack = false,
                                .lock_timeout_s = many_jobs_end_s};
    std::ignore = resubmit(request, filter);
    std::ranges::for_each(submit_locked(request).notes, tell_);
  }

  /// Checks before the first point starts, instead of "command not found" in every log.
  void require_program(const AllocationProfile& site) const {
    if (const auto missing = missing_program(site, origin_.context); !missing.empty()) {
      throw Error(
          fmt::format("allocation '{}': the program '{}' does not exist or is not executable; "
                      "build or install it, or set 'trainer' or 'launch_prefix' in the profile",
                      site.name, missing));
    }
  }

  process::ChildEnd run(const JobRequest& request, const std::string& job) override {
    const auto& point = point_of(request);
    const auto& site = site_of(point);
    process::ChildSpec child{
        .script = request.script,
        .log = out_.logs() / fmt::format("{}-{}.out", point.status.point, job),
        .cpus = *attempt::cpus_for(site.asks),
        .environment = {{"SLURM_CPUS_PER_TASK", std::to_string(site.asks.cpus)},
                        {"EPOCHCAST_JOB_ID", job}},
        .limit_s = request.limit.value_or(site.asks.time).value,
        .lead_s = site.launch.signal_lead.value,
        .kill_wait_s = site.launch.kill_wait.value};
    last_log_ = child.log;
    tell(point, repeat_ > 0
                    ? fmt::format("was disturbed ({}): repeats it, {} of {}",
                                  point.status.disturbed, repeat_, request_.repeat_disturbed)
                    : "running, " + eta_.text());
    if (child.limit_s > 0) {  // as Slurm tells a job; a program is warned by it
      child.environment["SLURM_JOB_END_TIME"] =
          std::to_string(std::time(nullptr) + static_cast<std::int64_t>(child.limit_s));
    }
    double next_s = first_progress_s;
    child.watch = [&](double now_s) {
      const auto text = now_s < next_s ? "" : progress_text(point, job, now_s);
      if (!text.empty()) {
        next_s = now_s + std::max(least_between_s, share_between * now_s);
        tell(point, text);
      }
    };
    return process::run_child(child);
  }

  void take(const JobRequest& request, const process::ChildEnd& end) override {
    auto& point = point_of(request);
    const auto next = next_attempt(point, end);
    const bool is_again = next && next->is_allowed();
    tell(point, fmt::format("{} after {} s{}{}", text_of(end), format_fixed(end.wall_s, 1),
                            is_again ? fmt::format(", {} by retry: {}",
                                                   next->rule.action == "restart" ? "starts over"
                                                                                  : "resumes",
                                                   to_text(point.status.cause))
                            : next   ? ", not again by retry: " + next->why_not
                                     : "",
                            is_again || end.status == exit_done ? "" : ", log " + last_log_));
    if (is_again) {
      submit_again({point.status.point}, {.retry = true});
    } else {
      count(point, end);
    }
  }

  /// What `retry:` says of a point that has ended.
  std::optional<NextAttempt> next_attempt(Point& point, const process::ChildEnd& end) const {
    if (end.status == exit_done || process::is_interrupted()) {
      return std::nullopt;
    }
    point.status =
        status_with_lost_closed(request_.out, {"point=" + point.status.point}).points.front();
    return policy_.next(point.status);
  }

  void count(const Point& point, const process::ChildEnd& end) {
    if (end.status == exit_done || end.status == exit_stopped) {
      ++(end.status == exit_done ? report_.complete : report_.stopped);
      eta_.took(point.status.allocation, point.weight, end.wall_s);
    } else {
      ++report_.failed;
      eta_.expect(point.status.allocation, -point.weight);  // it shows nothing about the others
    }
  }

  /// "epoch 3 of 10, about 1m12s left of this point; about 6m left"; "" if it is too early.
  std::string progress_text(const Point& point, const std::string& job, double now_s) const {
    Progress progress;
    try {
      progress = progress_of(out_.records() / fmt::format("{}-{}.h5", point.status.point, job));
    } catch (const Error&) {  // no record yet
    }
    if (!progress.left_s) {
      return "";
    }
    auto eta = eta_;
    eta.took(point.status.allocation, point.weight, now_s + *progress.left_s);
    const auto epoch =
        progress.epoch && progress.epochs
            ? fmt::format("epoch {} of {}, ", std::min(*progress.epoch + 1, *progress.epochs),
                          *progress.epochs)
            : "";
    return fmt::format("{}about {} left of this point; {}", epoch,
                       format_duration(std::ceil(*progress.left_s)), eta.text(*progress.left_s));
  }

  static std::string text_of(const process::ChildEnd& end) {
    if (end.status != exit_done && end.status != exit_stopped) {
      return fmt::format("{} (exit {})", end.timed_out ? "killed at its time limit" : "failed",
                         end.status);
    }
    return end.status == exit_done ? "complete"
           : end.interrupted       ? "stopped on request"
                                   : "stopped at its time limit";
  }

  void tell(const Point& point, const std::string& text) const {
    tell_(fmt::format("{} {}: {}", point.position,
                      shown_name(point.status.point, point.status.swept), text));
  }
  const AllocationProfile& site_of(const Point& point) const {
    return profile_of(origin_.cluster, point.status.allocation);
  }
  Point& point_of(const JobRequest& request) {
    return points_.at(std::filesystem::path(request.script).stem());
  }

  const RunRequest& request_;
  OutFolder out_;
  Origin origin_;
  RetryPolicy policy_{out_};
  const Tell& tell_;
  std::map<std::string, std::string> refused_;  ///< Allocation -> why it cannot run here, or "".
  std::map<std::string, Point> points_;         ///< Those that run.
  std::int64_t repeat_ = 0;
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
