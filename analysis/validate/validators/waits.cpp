// How long jobs wait in the queue, from what was known when each became eligible.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>

#include "analysis/validate/ablations.hpp"
#include "analysis/validate/accounted_file.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/queue/past_waits.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::validators {
namespace waits_validator {

using jobs::PastJob;
using Waits = std::vector<std::optional<forecast::Prediction>>;

constexpr double day_s = 86400;
/// Waits below it count alike.
constexpr double least_s = 1;

/// A method with its answer for each job.
struct WaitMethod {
  std::string name;
  Waits waits_s;
};

PastJob past_job(const FileJob& of) {
  const auto& job = of.job;
  const auto nodes = std::max<std::int64_t>(1, job.nodes);
  PastJob past;
  past.job.user = job.user.empty() ? job.account : job.user;
  past.job.count = static_cast<std::size_t>(nodes);
  past.job.each = {job.cpus / nodes, 0, job.gpus / nodes};
  past.job.limit_s = job.limit_s > 0 ? job.limit_s : jobs::never_s;
  past.partitions = split(job.partition, ',');
  past.account = job.account;
  past.eligible_s = of.eligible_s;
  past.started_s = of.started_s;
  past.has_started = true;
  return past;
}

/// Those that started, by time of eligibility.
std::vector<FileJob> started(std::vector<FileJob> jobs, ExcludedRows& excluded) {
  std::erase_if(jobs, [&](const FileJob& job) {
    const bool known = std::isfinite(job.started_s - job.eligible_s);
    if (!known) {
      excluded.add("job " + job.job.job, "it did not start, or its times are not known");
    }
    return !known;
  });
  std::ranges::stable_sort(jobs, {}, &FileJob::eligible_s);
  return jobs;
}

/// Each batch is forecast when its first job becomes eligible.
WaitMethod by_batches(const std::string& name, const std::vector<FileJob>& jobs,
                      const jobs::PastWaits& waits) {
  WaitMethod method{name, Waits(jobs.size())};
  for (std::size_t batch = 0; batch < waits.batches().size(); ++batch) {
    const auto& members = waits.batches()[batch];
    if (any_scored(jobs, members)) {
      const auto answer = waits.forecast_s(batch);
      for (const auto job : members) {
        method.waits_s[job] = answer;
      }
    }
  }
  return method;
}

/// Past waits with each of their parts left out.
std::vector<WaitMethod> ablated(const std::vector<FileJob>& jobs,
                                const std::vector<PastJob>& past) {
  using Parts = jobs::WaitParts;
  const std::vector<std::pair<std::string, std::function<void(Parts&)>>> without{
      {"the user", [](Parts& parts) { parts.of_account = parts.of_others = 0; }},
      {"the partition", [](Parts& parts) { parts.of_partition = 0; }},
      {"the limit", [](Parts& parts) { parts.of_limit = 0; }},
      {"the size", [](Parts& parts) { parts.of_size = 0; }},
      {"the age", [](Parts& parts) { parts.of_day = 0; }},
      {"the hour", [](Parts& parts) { parts.of_hour = 0; }},
      {"batches", [](Parts& parts) { parts.batch_s = 1; }},
      {"batches of an hour, of a day", [](Parts& parts) { parts.batch_s = day_s; }},
      {"calibration", [](Parts& parts) { parts.like.calibrates = false; }},
      {"an end each", [](Parts& parts) { parts.like.ends = forecast::Ends::together; }},
      {"those that wait still", [](Parts& parts) { parts.like.counts_open = false; }},
      {"the older half", [](Parts& parts) { parts.like.most /= 2; }}};
  return ablations<Parts>(without, [&](const std::string& name, const Parts& parts) {
    return by_batches(name, jobs, jobs::PastWaits(past, {}, parts));
  });
}

/// The median and order statistics of the newest `count` waits that had ended, of those with the
/// same key: what many do.
template <class Key>
WaitMethod newest_of(const std::string& name, std::size_t count, const std::vector<PastJob>& past,
                     Key key) {
  constexpr std::size_t fewest = 5;
  std::vector<std::size_t> by_start(past.size());
  for (std::size_t i = 0; i < by_start.size(); ++i) {
    by_start[i] = i;
  }
  std::ranges::stable_sort(by_start, {}, [&](std::size_t i) { return past[i].started_s; });
  std::map<decltype(key(past.front())), std::deque<double>> known;
  WaitMethod method{name, {}};
  auto next = by_start.begin();
  for (const auto& job : past) {
    for (; next != by_start.end() && past[*next].started_s <= job.eligible_s; ++next) {
      auto& waits_s = known[key(past[*next])];
      waits_s.push_back(std::max(0.0, past[*next].wait_s()));
      if (waits_s.size() > count) {
        waits_s.pop_front();
      }
    }
    const auto& of_key = known[key(job)];
    const std::vector<double> waits_s(of_key.begin(), of_key.end());
    method.waits_s.push_back(waits_s.size() < fewest ? std::nullopt
                                                     : std::optional(jobs::wait_of_draws(waits_s)));
  }
  return method;
}

std::vector<WaitMethod> simple_rules(const std::vector<PastJob>& past) {
  return {newest_of("newest 10 of the user in the partition", 10, past,
                    [](const PastJob& job) { return std::pair(job.job.user, job.partitions); }),
          newest_of("newest 50 in the partition of this size", 50, past,
                    [](const PastJob& job) {
                      return std::tuple(job.partitions, job.job.count, job.job.each.cpus,
                                        job.job.each.gpus);
                    }),
          newest_of("newest 100 in the partition", 100, past,
                    [](const PastJob& job) { return job.partitions; }),
          newest_of("newest 200", 200, past, [](const PastJob&) { return 0; })};
}

struct WaitScore {
  std::string part;
  std::string method;
  std::size_t jobs = 0;
  double batches = 0;
  std::size_t refused = 0;
  std::size_t within_2 = 0;
  std::size_t within_3 = 0;
  std::size_t inside = 0;
  std::size_t below = 0;
  double batches_inside = 0;
  std::vector<double> error_h = {};
  std::vector<double> high_per_low = {};

  void add(const forecast::Prediction& wait_s, double actual_s, double of_batch) {
    constexpr double second_to_hour = 1.0 / 3600;
    const double ratio = std::max(least_s, wait_s.value) / std::max(least_s, actual_s);
    const auto is_within = [&](double factor) { return ratio <= factor && ratio >= 1 / factor; };
    const auto& interval = wait_s.interval_80;
    const bool is_inside = interval.holds(actual_s);
    ++jobs;
    batches += of_batch;
    within_2 += is_within(2) ? 1 : 0;
    within_3 += is_within(3) ? 1 : 0;
    inside += is_inside ? 1 : 0;
    below += actual_s < interval.low ? 1 : 0;
    batches_inside += is_inside ? of_batch : 0;
    error_h.push_back(std::abs(wait_s.value - actual_s) * second_to_hour);
    high_per_low.push_back((interval.high + 30) / (interval.low + 30));
  }
};

auto percent_of_jobs(std::size_t WaitScore::*count) {
  return [count](const WaitScore& row) {
    return table::percent_cell(static_cast<double>(row.*count), static_cast<double>(row.jobs));
  };
}

table::Columns<WaitScore> columns() {
  const auto median_cell = [](const std::vector<double>& values) {
    return values.empty() ? table::Cell() : table::finite_cell(quantile(values, 0.5));
  };
  return {
      {"method", "method", &WaitScore::method},
      {"part", "jobs", &WaitScore::part},
      {"n", "n", "", 0, &WaitScore::jobs},
      {"refused", "refused", "", 0, &WaitScore::refused},
      {"within_2_percent", "within factor 2", "%", 1, percent_of_jobs(&WaitScore::within_2)},
      {"within_3_percent", "within factor 3", "%", 1, percent_of_jobs(&WaitScore::within_3)},
      {"median_error_h", "median error", "h", 2,
       [=](const WaitScore& row) { return median_cell(row.error_h); }},
      {"covered_80_percent", "in 80 %", "%", 1, percent_of_jobs(&WaitScore::inside)},
      {"below_percent", "below", "%", 1, percent_of_jobs(&WaitScore::below)},
      {"batches_covered_80_percent", "in 80 %, a batch", "%", 1,
       [](const WaitScore& row) { return table::percent_cell(row.batches_inside, row.batches); }},
      {"high_per_low", "high/low", "", 1,
       [=](const WaitScore& row) { return median_cell(row.high_per_low); }}};
}

std::vector<WaitScore> scores_of(const std::vector<FileJob>& jobs,
                                 const std::vector<double>& of_batch,
                                 const std::vector<WaitMethod>& methods) {
  std::vector<WaitScore> scores;
  for (const auto& part : job_parts(jobs)) {
    for (const auto& method : methods) {
      WaitScore score{.part = part.name, .method = method.name};
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!part.has(jobs[i])) {
          continue;
        }
        if (method.waits_s[i]) {
          const double wait_s = std::max(0.0, jobs[i].started_s - jobs[i].eligible_s);
          score.add(*method.waits_s[i], wait_s, of_batch[i]);
        } else {
          ++score.refused;
        }
      }
      if (score.jobs + score.refused > 0) {
        scores.push_back(std::move(score));
      }
    }
  }
  return scores;
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions& options) {
  ExcludedRows excluded;
  const auto jobs = started(accounted_jobs(file, options.learn, excluded), excluded);
  if (std::ranges::none_of(jobs, &FileJob::is_scored)) {
    throw Error(file.path() + ": no job has times of eligibility and start");
  }
  const auto past = mapped(jobs, past_job);
  const jobs::PastWaits waits(past);
  std::vector<double> of_batch(jobs.size());
  std::size_t batches = 0;
  for (const auto& batch : waits.batches()) {
    batches += any_scored(jobs, batch) ? 1 : 0;
    for (const auto job : batch) {
      of_batch[job] = 1 / static_cast<double>(batch.size());
    }
  }
  std::vector<WaitMethod> methods{by_batches("past waits, by batches", jobs, waits)};
  append(methods, options.ablate ? ablated(jobs, past) : simple_rules(past));
  auto table = table::make_table(
      "waits", fmt::format("Waits in order of time: {} batches of {}", batches, counted_jobs(jobs)),
      columns(), scores_of(jobs, of_batch, methods));
  table.notes = {
      "each job is forecast from what was known when it became eligible (of a batch: the first "
      "one)",
      "a batch: jobs of one user that ask for the same within an hour; in the last columns each "
      "counts once",
      "high/low: median, each end 30 s more"};
  if (const auto note = excluded.note()) {
    table.notes.push_back(*note);
  }
  return {table};
}

}  // namespace waits_validator

ValidatorSpec waits() {
  return {.summary = "the wait of a job in the queue, from the waits of earlier ones",
          .columns = accounted_columns(),
          .score = waits_validator::score};
}

}  // namespace epochcast::analysis::validators
