// How long jobs run and which limit they need, from what was known when each was submitted.
#include "src/forecast/statistics/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "analysis/validate/ablations.hpp"
#include "analysis/validate/accounted_file.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/forecast/history/past_runs.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::validators {
namespace history_validator {

using slurm::AccountedJob;

/// What a method says of a job; limit_s: 0: none, so that its own limit stays.
struct Answer {
  std::optional<forecast::Prediction> time_s = {};
  double limit_s = 0;
};

struct RunMethod {
  std::string name;
  std::vector<Answer> answers;  ///< Of each job.
};

bool is_cut_off(const AccountedJob& job) {
  return job.state == slurm::JobState::timeout;
}

std::vector<FileJob> usable(std::vector<FileJob> jobs, ExcludedRows& excluded) {
  std::erase_if(jobs, [&](const FileJob& of) {
    const auto& job = of.job;
    const bool ended = job.state == slurm::JobState::completed || is_cut_off(job);
    const bool known = std::isfinite(of.submitted_s + of.ended_s) && job.limit_s > 0 &&
                       std::isfinite(job.limit_s) && job.elapsed_s > 0;
    if (!ended || !known) {
      excluded.add("job " + job.job, ended ? "its limit or times are not known"
                                           : "it neither completed nor reached its limit");
    }
    return !ended || !known;
  });
  return jobs;
}

/// Each batch is forecast when its first job is submitted.
RunMethod by_batches(const std::string& name, const std::vector<FileJob>& jobs,
                     const history::RunParts& parts) {
  const history::PastRuns runs(mapped(jobs, &FileJob::job), {}, parts);
  RunMethod method{name, std::vector<Answer>(jobs.size())};
  for (std::size_t batch = 0; batch < runs.batches().size(); ++batch) {
    const auto& members = runs.batches()[batch];
    if (const auto made = any_scored(jobs, members) ? runs.forecast(batch) : std::nullopt) {
      for (const auto job : members) {
        method.answers[job] = {made->time_s, forecast::limit_from(made->needs_s)};
      }
    }
  }
  return method;
}

/// Past jobs with each of their parts left out.
std::vector<RunMethod> ablated(const std::vector<FileJob>& jobs) {
  using Parts = history::RunParts;
  const std::vector<std::pair<std::string, std::function<void(Parts&)>>> without{
      {"the user", [](Parts& parts) { parts.of_account = parts.of_others = 0; }},
      {"the partition", [](Parts& parts) { parts.of_partition = 0; }},
      {"the limit", [](Parts& parts) { parts.of_limit = 0; }},
      {"the share of the limit", [](Parts& parts) { parts.by_share = false; }},
      {"the size", [](Parts& parts) { parts.of_size = 0; }},
      {"the age", [](Parts& parts) { parts.of_day = 0; }},
      {"the most of the age", [](Parts& parts) { parts.most_of_days = HUGE_VAL; }},
      {"batches", [](Parts& parts) { parts.batch_s = 1; }},
      {"batches of an hour, of a day", [](Parts& parts) { parts.batch_s = 86400; }},
      {"calibration", [](Parts& parts) { parts.like.calibrates = false; }},
      {"ends together", [](Parts& parts) { parts.like.ends = forecast::Ends::apart; }},
      {"those that run still", [](Parts& parts) { parts.like.counts_open = false; }},
      {"the older half", [](Parts& parts) { parts.like.most /= 2; }},
      {"limits by price", [](Parts& parts) { parts.by_price = false; }}};
  return ablations<Parts>(without, [&](const std::string& name, const Parts& parts) {
    return by_batches(name, jobs, parts);
  });
}

/// Order statistics of the jobs that ask for the same: each job is one observation.
RunMethod by_jobs(const std::vector<FileJob>& jobs) {
  const auto key = [](const AccountedJob& job) {
    return std::tuple(job.user, job.account, job.job_name, job.script, job.partition, job.nodes,
                      job.cpus, job.gpus, job.limit_s);
  };
  using Ended = std::pair<double, std::size_t>;
  std::priority_queue<Ended, std::vector<Ended>, std::greater<>> running;
  std::map<decltype(key(jobs.front().job)), forecast::PastTimes> known;
  RunMethod method{"past jobs, one by one", {}};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (; !running.empty() && running.top().first <= jobs[i].submitted_s; running.pop()) {
      const auto& ended = jobs[running.top().second].job;
      known[key(ended)].add({.elapsed_s = ended.elapsed_s, .cut_off = is_cut_off(ended)});
    }
    running.emplace(jobs[i].ended_s, i);
    Answer answer;
    const auto made = known[key(jobs[i].job)].forecast();
    if (const auto* found = std::get_if<forecast::HistoryForecast>(&made)) {
      answer.time_s = found->time_s;
      const double high_s = found->time_s.interval_95.high;
      answer.limit_s = std::isfinite(high_s) ? forecast::limit_from(high_s) : 0;
    }
    method.answers.push_back(answer);
  }
  return method;
}

/// A share of the jobs, of the batches of a part or of all.
struct RunScore {
  std::string method;
  std::string part;
  std::size_t jobs = 0;
  forecast::Share inside_80 = {};
  forecast::Share inside_95 = {};
  std::size_t limits = 0;
  forecast::Share ended = {};  ///< Of the jobs that completed.
  double asked_s = 0;          ///< By these ...
  double own_s = 0;            ///< ... with their own limits ...
  double used_s = 0;

  void add(const AccountedJob& job, const Answer& answer) {
    const double time_s = std::min(job.elapsed_s, job.limit_s);
    const auto count = [&](const forecast::Interval& interval, forecast::Share& share) {
      if (interval.is_known()) {
        ++share.of;
        share.held += interval.holds(time_s) ? 1 : 0;
      }
    };
    ++jobs;
    if (answer.time_s) {
      count(answer.time_s->interval_80, inside_80);
      count(answer.time_s->interval_95, inside_95);
    }
    limits += answer.limit_s > 0 ? 1 : 0;
    if (is_cut_off(job)) {
      return;
    }
    const double limit_s = answer.limit_s > 0 ? std::min(answer.limit_s, job.limit_s) : job.limit_s;
    ++ended.of;
    ended.held += time_s <= limit_s ? 1 : 0;
    asked_s += limit_s;
    own_s += job.limit_s;
    used_s += job.elapsed_s;
  }
};

table::Columns<RunScore> columns() {
  const auto percent = [](const forecast::Share& share) {
    return table::percent_cell(static_cast<double>(share.held), static_cast<double>(share.of));
  };
  return {{"method", "method", &RunScore::method},
          {"part", "jobs", &RunScore::part},
          {"n", "n", "", 0, &RunScore::jobs},
          {"forecast_percent", "forecast", "%", 1,
           [](const RunScore& row) {
             return table::percent_cell(static_cast<double>(row.inside_80.of),
                                        static_cast<double>(row.jobs));
           }},
          {"covered_80_percent", "in 80 %", "%", 1,
           [=](const RunScore& row) { return percent(row.inside_80); }},
          {"covered_95_percent", "in 95 %", "%", 1,
           [=](const RunScore& row) { return percent(row.inside_95); }},
          {"limits_percent", "limit of its own", "%", 1,
           [](const RunScore& row) {
             return table::percent_cell(static_cast<double>(row.limits),
                                        static_cast<double>(row.jobs));
           }},
          {"within_limit_percent", "within limit", "%", 1,
           [=](const RunScore& row) { return percent(row.ended); }},
          {"limit_per_used", "limit/used", "", 2,
           [](const RunScore& row) { return table::ratio_cell(row.asked_s, row.used_s); }},
          {"own_per_used", "own limit/used", "", 2,
           [](const RunScore& row) { return table::ratio_cell(row.own_s, row.used_s); }}};
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  ExcludedRows excluded;
  const auto jobs = usable(accounted_jobs(file, options.learn, excluded), excluded);
  if (std::ranges::none_of(jobs, &FileJob::is_scored)) {
    throw Error(file.path() + ": no job that ended has a limit and times");
  }
  std::vector<RunMethod> methods{by_batches("past jobs, by batches", jobs, {})};
  append(methods, options.ablate
                      ? ablated(jobs)
                      : std::vector<RunMethod>{
                            by_jobs(jobs), {"its own limit", std::vector<Answer>(jobs.size())}});
  std::vector<RunScore> scores;
  for (const auto& part : job_parts(jobs)) {
    for (const auto& method : methods) {
      RunScore score{.method = method.name, .part = part.name};
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (part.has(jobs[i])) {
          score.add(jobs[i].job, method.answers[i]);
        }
      }
      if (score.jobs > 0) {
        scores.push_back(score);
      }
    }
  }
  auto table = table::make_table(
      "history", "Run times and limits in order of time: " + counted_jobs(jobs), columns(), scores);
  table.notes = {
      "each job is forecast from what was known when it was submitted (of a batch: the first one)",
      "in 80 %, in 95 %: of the jobs with an interval; a job that reached its limit counts at it",
      "within limit, limit/used: of the jobs that completed, with the own limit where there is no "
      "other or where it is shorter"};
  if (const auto note = excluded.note()) {
    table.notes.push_back(*note);
  }
  return {table};
}

}  // namespace history_validator

ValidatorSpec history() {
  return {.summary = "the run time of a job and the limit it needs, from earlier ones",
          .columns = accounted_columns(),
          .score = history_validator::score};
}

}  // namespace epochcast::analysis::validators
