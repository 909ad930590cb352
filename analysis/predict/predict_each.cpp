// A forecast of each run of a table, from each number of its epochs, blocks or steps.
#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_columns.hpp"
#include "src/base/core/csv_file.hpp"
#include "src/base/core/statistics.hpp"
#include "src/forecast/run/reference_runs.hpp"

namespace epochcast::analysis {
namespace {

struct EachRun {
  const CsvFile* file;
  std::size_t row;  ///< Its first, which says what holds for the run.
  std::vector<double> unit_s = {};
  std::vector<double> pauses_s = {};  ///< Before each unit.
  std::vector<double> work = {};

  const std::string& text(const std::string& column) const { return file->text(row, column); }
  double number(const std::string& column) const { return file->number(row, column).value_or(0); }
};

/// In the order of the rows.
std::vector<EachRun> runs_of(const CsvFile& file, ExcludedRows& excluded) {
  file.require({"path", "dur_s"});
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::vector<EachRun> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const bool is_block = file.text(row, "kind") == "block";
    const auto unit_s = is_block ? std::nullopt : positive(file, row, "dur_s", excluded);
    if (!unit_s) {
      continue;
    }
    const auto place =
        places.try_emplace({file.text(row, "repo"), file.text(row, "path")}, runs.size()).first;
    if (place->second == runs.size()) {
      runs.push_back({&file, row});
    }
    auto& run = runs[place->second];
    run.unit_s.push_back(*unit_s);
    run.pauses_s.push_back(file.number(row, "pause_s").value_or(0));
    run.work.push_back(file.number(row, "work").value_or(0));
  }
  return runs;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The run as it was when `seen` units had ended.
forecast::RunSeries series_of(const EachRun& run, std::size_t seen) {
  const auto first = [&](const std::vector<double>& values, std::ptrdiff_t from = 0) {
    return std::vector<double>(values.begin() + from,
                               values.begin() + static_cast<std::ptrdiff_t>(seen));
  };
  const auto unit = run.text("unit");
  const bool in_one_epoch = unit == "iteration";
  forecast::RunSeries series{.step_s = first(run.unit_s),
                             .before_s = run.pauses_s.front(),
                             .steps_per_epoch = in_one_epoch ? std::ssize(run.unit_s) : 1,
                             .epochs = in_one_epoch ? 1 : std::ssize(run.unit_s),
                             .of_blocks = unit == "block" || unit == "step",
                             .ends_with_step = unit == "block" || unit == "step",
                             .of_steps = unit == "step",
                             .stops_at_target = run.text("stops_at_target") == "yes"};
  if (run.file->has("pause_s")) {
    series.gaps_s = first(run.pauses_s, 1);
    series.after_epoch_s = series.of_blocks ? 0 : mean(series.gaps_s).value_or(0);
  }
  if (std::ranges::all_of(run.work, [](double work) { return work > 0; })) {
    series.step_work = first(run.work);
    series.work_per_epoch = sum_of(run.work) / static_cast<double>(series.epochs);
  }
  if (const double every = run.number("eval_every"); every > 0) {
    series.schedules = {{.first = run.number("eval_first"), .every = every}};
  }
  return series;
}

/// Those of the same program that differ from the run in `column`.
std::vector<forecast::ReferenceRun> others_of(const EachRun& run, const std::string& column,
                                              const std::vector<EachRun>& runs) {
  std::vector<forecast::ReferenceRun> others;
  for (const auto& other : runs) {
    if (other.text("repo") == run.text("repo") &&
        other.text("benchmark") == run.text("benchmark") &&
        other.text(column) != run.text(column)) {
      const bool has_gaps = other.file->has("pause_s");
      others.push_back(
          {.system = other.text("system"),
           .epoch_s = other.unit_s,
           .gaps_s = has_gaps ? std::vector(other.pauses_s.begin() + 1, other.pauses_s.end())
                              : std::vector<double>(),
           .end_s = other.number("end_s")});
    }
  }
  return others;
}

struct EachRow {
  const EachRun* run;
  std::size_t seen;
  std::optional<forecast::Forecast> found;  ///< Nothing: refused.
  std::string apart = {};
  std::optional<bool> agree = {};

  const forecast::Prediction* total_s() const { return found ? &found->total_s : nullptr; }
};

void add_rows(const std::vector<EachRun>& runs, std::size_t seen,
              const std::vector<std::string>& apart, std::vector<EachRow>& rows) {
  for (const auto& run : runs) {
    if (run.unit_s.size() <= seen) {
      continue;
    }
    const auto series = series_of(run, seen);
    const auto answer = forecast::forecast(series);
    const auto* found = std::get_if<forecast::Forecast>(&answer);
    const auto alone = found == nullptr ? std::nullopt : std::optional(*found);
    rows.push_back({&run, seen, alone});
    for (const auto& column : apart) {
      const auto from_others =
          forecast::forecast_from_reference_runs(series, others_of(run, column, runs), alone);
      if (const auto* relative = std::get_if<forecast::FromReferenceRuns>(&from_others)) {
        rows.push_back({&run, seen, relative->forecast, column, relative->agree});
      }
    }
  }
}

std::size_t count_of(const std::string& word) {
  const auto number = parse_integer(word);
  if (!number || *number < 1) {
    throw Error("--each: found '" + word + "', expected a whole number of at least 1");
  }
  return static_cast<std::size_t>(*number);
}

table::Columns<EachRow> each_columns() {
  const auto text = [](const char* column) {
    return [=](const EachRow& row) { return row.run->text(column); };
  };
  table::Columns<EachRow> columns{
      {"path", "run", text("path")},
      {"repo", "repository", text("repo")},
      {"units", "units", "", 0, [](auto& row) { return row.run->unit_s.size(); }},
      {"seen", "seen", "", 0, &EachRow::seen},
      {"apart", "from others in", &EachRow::apart},
      {"agree", "agree", &EachRow::agree},
      {"class", "class",
       [](auto& row) { return row.found ? row.found->classification : "refused"; }},
      {"spent_s", "spent", "s", 1,
       [](auto& row) { return row.found ? std::optional(row.found->spent_s) : std::nullopt; }},
      {"forecast_s", "forecast", "s", 1, [](auto& row) {
         return row.found ? std::optional(row.found->total_s.value) : std::nullopt;
       }}};
  return columns.add(interval_columns(), &EachRow::total_s)
      .add({{"disturbed", "disturbed", text("disturbed")}});
}

}  // namespace

Answers predict_each(const std::vector<std::string>& paths, const cli::Arguments& arguments) {
  Answers answers;
  for (const auto& path : paths) {
    const auto file = CsvFile::read(path);
    ExcludedRows excluded;
    const auto runs = runs_of(file, excluded);
    std::vector<EachRow> rows;
    for (const auto& word : arguments.all("each")) {
      add_rows(runs, count_of(word), arguments.all("apart"), rows);
    }
    answers.forecasts += static_cast<std::size_t>(
        std::ranges::count_if(rows, [](const EachRow& row) { return row.found.has_value(); }));
    auto table = table::make_table("each", "Each run of " + path, each_columns(), rows);
    if (const auto note = excluded.note()) {
      table.notes.push_back(*note);
    }
    answers.tables.push_back(std::move(table));
  }
  return answers;
}

}  // namespace epochcast::analysis
