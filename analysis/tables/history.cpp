// Past jobs of the accounting (import sacct), by script and resources: the quantiles of their run
// times, a time limit from them, how often both held for the newest jobs, and what the users' own
// limits asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/table_parts/table_spec.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/forecast/history/job_groups.hpp"
#include "src/forecast/history/past_runs.hpp"
#include "src/output/table/make_table.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::analysis::tables {
namespace history_table {

constexpr double second_to_hour = 1.0 / 3600;

std::vector<slurm::AccountedJob> read_histories(const std::vector<std::string>& files) {
  if (files.empty()) {
    throw Error(
        "table history: FILE is missing: a history of 'epochcast-analyze import sacct FILE -o "
        "DIR', "
        "or its folder");
  }
  std::vector<slurm::AccountedJob> jobs;
  for (const auto& file : files) {
    std::vector<std::string> damaged;
    const auto more = history::read_history(file, &damaged);
    for (const auto& line : damaged) {
      cli::report("left out: " + line);
    }
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  return jobs;
}

/// The places of the fields to show: all that were asked for, else those in which groups differ and
/// the job's name.
std::vector<std::size_t> shown_places(const std::vector<history::JobGroup>& groups,
                                      const std::vector<std::string>& fields, bool all) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::set<std::string> values;
    for (const auto& group : groups) {
      values.insert(group.values[i]);
    }
    if (all || values.size() > 1 || fields[i] == "job_name") {
      places.push_back(i);
    }
  }
  return places;
}

/// The forecast of a group's next job, and why it has none or no limit.
struct GroupForecast {
  std::optional<forecast::Prediction> time_s = {};
  double limit_s = 0;  ///< 0: none.
  std::string remark = {};
  std::optional<forecast::Backtest> scores = {};
};

/// Of a group: batches that a forecast is made from, and batches that are scored.
constexpr std::size_t most_batches = 300;

double limit_or_none_s(double needs_s) {
  return std::isfinite(needs_s) ? forecast::limit_from(needs_s) : 0;
}

/// Of the jobs one by one, where there are too few batches.
GroupForecast forecast_by_jobs(const history::GroupTimes& group) {
  const auto answer = forecast::PastTimes(group.times).forecast();
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return {.remark = refusal->reason};
  }
  const auto& time_s = std::get<forecast::HistoryForecast>(answer).time_s;
  std::string remark;
  if (!time_s.interval_95.is_known()) {
    remark = fmt::format("no limit: expected at least {} jobs", forecast::fewest_for_95);
  } else if (std::isinf(time_s.interval_95.high)) {
    remark = "no limit: too many jobs reached their own";
  }
  return {time_s, limit_or_none_s(time_s.interval_95.high), remark, {}};
}

/// Of another job like the newest one, with its limit.
GroupForecast group_forecast(const history::GroupTimes& group,
                             const std::vector<slurm::AccountedJob>& jobs) {
  const auto newest = std::ranges::max_element(
      jobs, {}, [](const auto& job) { return slurm::parse_stamp_s(job.ended_at).value_or(0); });
  auto asked = *newest;
  asked.submitted_at = asked.ended_at;
  const history::PastRuns runs(jobs, asked, {forecast::Ends::together, most_batches});
  const auto made = runs.forecast(runs.batches().size() - 1);
  if (!made) {
    return forecast_by_jobs(group);
  }
  const double limit_s = limit_or_none_s(made->needs_s);
  return {made->time_s, asked.limit_s > 0 ? std::min(limit_s, asked.limit_s) : limit_s,
          made->warning, runs.backtest(most_batches + 1)};
}

/// A group, or a sum of groups, which has no forecast.
struct HistoryRow {
  std::vector<std::string> names;
  history::GroupTimes times;
  double used_s = 0;
  GroupForecast forecast = {};
  std::optional<forecast::Backtest> scores = {};
};

HistoryRow history_row(std::vector<std::string> names, const std::vector<slurm::AccountedJob>& jobs,
                       bool with_forecast) {
  HistoryRow row{.names = std::move(names), .times = history::times_of(jobs)};
  for (const auto& job : jobs) {
    row.used_s += job.elapsed_s;
  }
  if (with_forecast) {
    row.forecast = group_forecast(row.times, jobs);
    row.scores = row.forecast.scores ? row.forecast.scores : history::backtest(row.times);
  }
  return row;
}

table::Cell percent(const forecast::Share& share) {
  return table::percent_cell(static_cast<double>(share.held), static_cast<double>(share.of));
}

table::Columns<forecast::Prediction> prediction_columns() {
  return {{"median_s", "median", "s", 0, &forecast::Prediction::value},
          {"low_80_s", "from (80 %)", "s", 0,
           [](const auto& time_s) { return time_s.interval_80.low; }},
          {"high_80_s", "to (80 %)", "s", 0,
           [](const auto& time_s) { return table::finite_cell(time_s.interval_80.high); }},
          {"low_95_s", "from (95 %)", "s", 0,
           [](const auto& time_s) { return table::finite_cell(time_s.interval_95.low); }},
          {"high_95_s", "to (95 %)", "s", 0,
           [](const auto& time_s) { return table::finite_cell(time_s.interval_95.high); }}};
}

table::Columns<HistoryRow> columns_of(const std::vector<std::string>& fields) {
  using forecast::Backtest;
  using history::GroupTimes;
  const table::Columns<GroupTimes> counts{
      {"n", "n", "", 0, [](const auto& group) { return group.times.size(); }},
      {"cut_off", "at limit", "", 0,
       [](const auto& group) {
         return std::ranges::count_if(group.times, &forecast::PastTime::cut_off);
       }},
      {"left_out", "left out", "", 0, &GroupTimes::left_out}};
  const table::Columns<Backtest> scores{
      {"scored", "scored", "", 0, [](const auto& backtest) { return backtest.inside_80.of; }},
      {"coverage_80_percent", "in 80 %", "%", 1,
       [](const auto& backtest) { return percent(backtest.inside_80); }},
      {"coverage_95_percent", "in 95 %", "%", 1,
       [](const auto& backtest) { return percent(backtest.inside_95); }},
      {"within_limit_percent", "within limit", "%", 1,
       [](const auto& backtest) { return percent(backtest.within_limit); }},
      {"limit_per_used", "limit/used", "", 2,
       [](const auto& backtest) { return table::ratio_cell(backtest.asked_s, backtest.used_s); }}};
  const table::Columns<GroupTimes> limits{
      {"asked_per_used", "asked/used", "", 2,
       [](const auto& group) { return table::ratio_cell(group.asked_s, group.used_s); }},
      {"wasted_percent", "wasted", "%", 1,
       [](const auto& group) {
         return group.asked_s > 0 ? table::Cell(100 * (1 - group.used_s / group.asked_s))
                                  : table::Cell();
       }},
      {"at_limit_percent", "users at limit", "%", 1, [](const auto& group) {
         return percent({group.at_limit, group.limited});
       }}};
  table::Columns<HistoryRow> columns;
  // The limit of its own of each group, beside the one that is forecast.
  auto names = fields;
  std::ranges::replace(names, std::string("limit_s"), std::string("asked_limit_s"));
  return columns.add_each(names, &HistoryRow::names)
      .add(counts, &HistoryRow::times)
      .add(prediction_columns(), [](const HistoryRow& row) { return row.forecast.time_s; })
      .add({{"limit_s", "limit", "s", 0,
             [](const HistoryRow& row) { return table::positive_cell(row.forecast.limit_s); }}})
      .add(scores, &HistoryRow::scores)
      .add(limits, &HistoryRow::times)
      .add({{"used_h", "used", "h", 2, [](const auto& row) { return row.used_s * second_to_hour; }},
            {"remark", "remark",
             [](const auto& row) { return table::text_cell(row.forecast.remark); }}});
}

std::vector<std::string> values_at(const std::vector<std::string>& values,
                                   const std::vector<std::size_t>& places) {
  return mapped(places, [&](const auto place) { return values[place]; });
}

std::vector<table::Table> make(const std::vector<std::string>& files, const TableOptions& options) {
  const auto jobs = read_histories(files);
  const auto fields = options.by.empty() ? history::default_group() : options.by;
  const auto groups = history::group_jobs(jobs, fields);
  const auto places = shown_places(groups, fields, !options.by.empty());
  std::vector<HistoryRow> rows;
  std::vector<slurm::AccountedJob> rest;
  std::size_t small = 0;
  for (const auto& group : groups) {
    if (history::times_of(group.jobs).times.size() < forecast::fewest_past_times) {
      ++small;
      rest.insert(rest.end(), group.jobs.begin(), group.jobs.end());
    } else {
      rows.push_back(history_row(values_at(group.values, places), group.jobs, true));
    }
  }
  const auto sum_row = [&](const std::string& name, const std::vector<slurm::AccountedJob>& of) {
    std::vector<std::string> names(places.size());
    names.front() = name;  // there is one: the job's name, or what was asked for
    rows.push_back(history_row(std::move(names), of, false));
  };
  if (small > 0) {
    sum_row(fmt::format("{} of fewer than {} jobs", counted(small, "group"),
                        forecast::fewest_past_times),
            rest);
  }
  sum_row("all", jobs);
  auto table = table::make_table("history", "Past jobs of the same script with the same resources",
                                 columns_of(values_at(fields, places)), rows);
  table.notes = {
      "n: jobs that completed or reached their limit; left out: failed, cancelled, requeued or "
      "disturbed by the site",
      "limit: what 98 % of jobs end within, for the fewest hours, and 10 %, in whole minutes, at "
      "most "
      "their own; of fewer than 20 batches the upper end of the 95 % interval and 10 %",
      "a batch: jobs that one user submits within an hour; it is one observation",
      "in 80 %, in 95 %, within limit, limit/used: the newest batches (of 300; of few: the newest "
      "jobs, of 1000), each forecast from what was known when it was submitted",
      "asked/used, wasted: the users' own limits against the run times of these n jobs"};
  return {table};
}

}  // namespace history_table

TableSpec history() {
  return {.summary = "past jobs (import sacct): quantiles of run times, limits, hours wasted",
          .of_files = history_table::make};
}

}  // namespace epochcast::analysis::tables
