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
#include "src/base/core/text.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/forecast/history/job_groups.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

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

table::Cell finite(double value) {
  return std::isfinite(value) ? table::Cell(value) : table::Cell();
}

table::Cell percent(const forecast::Share& share) {
  return share.of > 0
             ? table::Cell(100 * static_cast<double>(share.held) / static_cast<double>(share.of))
             : table::Cell();
}

table::Cell ratio(double above, double below) {
  return below > 0 ? table::Cell(above / below) : table::Cell();
}

table::Cell wasted_percent(double asked_s, double used_s) {
  return asked_s > 0 ? table::Cell(100 * (1 - used_s / asked_s)) : table::Cell();
}

double number(std::size_t count) {
  return static_cast<double>(count);
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

std::vector<table::Column> columns_of(const std::vector<std::string>& fields,
                                      const std::vector<std::size_t>& places) {
  std::vector<table::Column> columns;
  for (const auto place : places) {
    columns.push_back(table::text_column(fields[place], fields[place]));
  }
  for (auto& column : std::vector<table::Column>{
           table::number_column("n", "n", "", 0),
           table::number_column("cut_off", "at limit", "", 0),
           table::number_column("left_out", "left out", "", 0),
           table::number_column("median_s", "median", "s", 0),
           table::number_column("low_80_s", "from (80 %)", "s", 0),
           table::number_column("high_80_s", "to (80 %)", "s", 0),
           table::number_column("low_95_s", "from (95 %)", "s", 0),
           table::number_column("high_95_s", "to (95 %)", "s", 0),
           table::number_column("limit_s", "limit", "s", 0),
           table::number_column("scored", "scored", "", 0),
           table::number_column("coverage_80_percent", "in 80 %", "%", 1),
           table::number_column("coverage_95_percent", "in 95 %", "%", 1),
           table::number_column("within_limit_percent", "within limit", "%", 1),
           table::number_column("limit_per_used", "limit/used", "", 2),
           table::number_column("asked_per_used", "asked/used", "", 2),
           table::number_column("wasted_percent", "wasted", "%", 1),
           table::number_column("at_limit_percent", "users at limit", "%", 1),
           table::number_column("used_h", "used", "h", 2),
           table::text_column("remark", "remark")}) {
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Median, intervals and limit, and why they are missing.
struct ForecastCells {
  table::Row cells;
  std::string remark;
};

ForecastCells forecast_cells(const history::GroupTimes& group) {
  const auto answer = forecast::PastTimes(group.times).forecast();
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return {table::Row(6), refusal->reason};
  }
  const auto& found = std::get<forecast::HistoryForecast>(answer);
  const auto& of_95 = found.time_s.interval_95;
  std::string remark;
  if (!of_95.is_known()) {
    remark = fmt::format("no limit: expected at least {} jobs", forecast::fewest_for_95);
  } else if (std::isinf(of_95.high)) {
    remark = "no limit: too many jobs reached their own";
  }
  return {{found.time_s.value, found.time_s.interval_80.low, finite(found.time_s.interval_80.high),
           finite(of_95.low), finite(of_95.high),
           std::isfinite(of_95.high) ? finite(forecast::limit_from(of_95.high)) : table::Cell()},
          remark};
}

table::Row row_of(std::vector<std::string> names, const std::vector<slurm::AccountedJob>& jobs,
                  bool with_forecast) {
  const auto group = history::times_of(jobs);
  auto forecast = with_forecast ? forecast_cells(group) : ForecastCells{table::Row(6), ""};
  const auto scores = with_forecast ? history::backtest(group) : forecast::Backtest{};
  const auto cut_off = std::ranges::count_if(group.times, &forecast::PastTime::cut_off);
  double used_s = 0;
  for (const auto& job : jobs) {
    used_s += job.elapsed_s;
  }
  table::Row row(names.begin(), names.end());
  row.emplace_back(number(group.times.size()));
  row.emplace_back(static_cast<double>(cut_off));
  row.emplace_back(number(group.left_out()));
  row.insert(row.end(), forecast.cells.begin(), forecast.cells.end());
  row.push_back(with_forecast ? table::Cell(number(scores.inside_80.of)) : table::Cell());
  row.push_back(percent(scores.inside_80));
  row.push_back(percent(scores.inside_95));
  row.push_back(percent(scores.within_limit));
  row.push_back(ratio(scores.asked_s, scores.used_s));
  row.push_back(ratio(group.asked_s, group.used_s));
  row.push_back(wasted_percent(group.asked_s, group.used_s));
  row.push_back(percent({group.at_limit, group.limited}));
  row.emplace_back(used_s * second_to_hour);
  row.push_back(forecast.remark.empty() ? table::Cell() : table::Cell(forecast.remark));
  return row;
}

std::vector<std::string> names_of(const history::JobGroup& group,
                                  const std::vector<std::size_t>& places) {
  std::vector<std::string> names;
  for (const auto place : places) {
    names.push_back(group.values[place]);
  }
  return names;
}

std::vector<table::Table> make(const std::vector<std::string>& files, const TableOptions& options) {
  const auto jobs = read_histories(files);
  const auto fields = options.by.empty() ? history::default_group() : options.by;
  const auto groups = history::group_jobs(jobs, fields);
  const auto places = shown_places(groups, fields, !options.by.empty());
  table::Table table{.name = "history",
                     .title = "Past jobs of the same script with the same resources",
                     .columns = columns_of(fields, places)};
  std::vector<slurm::AccountedJob> rest;
  std::size_t small = 0;
  for (const auto& group : groups) {
    if (history::times_of(group.jobs).times.size() < forecast::fewest_past_times) {
      ++small;
      rest.insert(rest.end(), group.jobs.begin(), group.jobs.end());
    } else {
      table.rows.push_back(row_of(names_of(group, places), group.jobs, true));
    }
  }
  const auto sum_row = [&](const std::string& name, const std::vector<slurm::AccountedJob>& of) {
    std::vector<std::string> names(places.size());
    names.front() = name;  // there is one: the job's name, or what was asked for
    table.rows.push_back(row_of(std::move(names), of, false));
  };
  if (small > 0) {
    sum_row(fmt::format("{} of fewer than {} jobs", counted(small, "group"),
                        forecast::fewest_past_times),
            rest);
  }
  sum_row("all", jobs);
  table.notes = {
      "n: jobs that completed or reached their limit; left out: failed, cancelled, requeued or "
      "disturbed by the site",
      "limit: upper end of the 95 % interval and 10 %, in whole minutes",
      "in 80 %, in 95 %, within limit, limit/used: the newest jobs (of 1000), each forecast from "
      "the "
      "jobs that had ended when it was submitted",
      "asked/used, wasted: the users' own limits against the run times of these n jobs"};
  return {table};
}

}  // namespace

TableSpec history() {
  return {.summary = "past jobs (import sacct): quantiles of run times, limits, hours wasted",
          .of_files = make};
}

}  // namespace epochcast::analysis::tables
