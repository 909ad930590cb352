#include "analysis/plot_parts/chart_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/records/disturbed.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

const table::Cell* cell_in(const table::Table& table, const table::Row& row,
                           const std::string& key) {
  const auto found = std::ranges::find(table.columns, key, &table::Column::key);
  const auto place = static_cast<std::size_t>(found - table.columns.begin());
  return place < row.size() ? &row[place] : nullptr;
}

}  // namespace

std::vector<plot::Chart> drawable(std::vector<plot::Chart> charts,
                                  std::vector<std::string>& why_not) {
  std::vector<plot::Chart> kept;
  for (auto& chart : charts) {
    if (plot::has_values(chart)) {
      kept.push_back(std::move(chart));
      continue;
    }
    for (const auto& note : chart.notes) {
      if (std::ranges::find(why_not, note) == why_not.end()) {
        why_not.push_back(note);
      }
    }
  }
  return kept;
}

std::vector<table::Table> tables_of(const std::string& name,
                                    const std::vector<LoadedRecord>& records,
                                    const PlotOptions& options) {
  return tables_of(tables::all().at(name), records, {.by = options.by, .device = options.device});
}

const table::Table* find_table(const std::vector<table::Table>& tables, const std::string& name) {
  const auto found = std::ranges::find(tables, name, &table::Table::name);
  return found == tables.end() ? nullptr : &*found;
}

std::optional<double> number_in(const table::Table& table, const table::Row& row,
                                const std::string& key) {
  const auto* cell = cell_in(table, row, key);
  const auto* number = cell == nullptr ? nullptr : std::get_if<double>(cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string text_in(const table::Table& table, const table::Row& row, const std::string& key) {
  const auto* cell = cell_in(table, row, key);
  const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
  return text == nullptr ? "" : *text;
}

plot::Point repeats_point(double x, const std::vector<double>& repeats) {
  plot::Point point{.x = x, .y = summarize(repeats).value().median};
  if (repeats.size() > 1) {
    point.low = std::ranges::min(repeats);
    point.high = std::ranges::max(repeats);
    point.note = fmt::format("median of {} runs", repeats.size());
  }
  return point;
}

std::vector<std::string> excluded_notes(const std::vector<ExcludedRun>& excluded) {
  constexpr std::size_t most_named = 2;
  if (excluded.empty()) {
    return {};
  }
  std::vector<std::string> named;
  for (const auto& run : excluded) {
    if (named.size() < most_named) {
      named.push_back(std::filesystem::path(run.path).filename().string() + ": " + run.reason);
    }
  }
  const auto more = excluded.size() - named.size();
  return {fmt::format("left out: {}: {}{}", counted(excluded.size(), "run"), join(named, "; "),
                      more == 0 ? "" : fmt::format("; and {} more", more))};
}

std::vector<std::string> excluded_notes(const std::vector<table::Table>& tables) {
  const auto table = std::ranges::find_if(tables, &table::Table::lists_excluded);
  std::vector<ExcludedRun> runs;
  if (table != tables.end()) {
    for (const auto& row : table->rows) {
      runs.push_back({table::cell_text(row.front(), table->columns.front()),
                      table::cell_text(row.back(), table->columns.back())});
    }
  }
  return excluded_notes(runs);
}

std::string source_words(const std::vector<LoadedRecord>& records) {
  std::set<std::string> sources;
  for (const auto& loaded : records) {
    sources.insert(loaded.record.header.source.str());
  }
  const bool some_measured = sources.erase("measured") > 0 || sources.erase("") > 0;
  if (sources.empty()) {
    return "";
  }
  return (some_measured ? "partly " : "") + join({sources.begin(), sources.end()}, ", ");
}

std::string joined(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  std::ranges::copy_if(words, std::back_inserter(kept),
                       [](const std::string& word) { return !word.empty(); });
  return join(kept, "; ");
}

std::vector<plot::Chart> charts_of_first_runs(
    const std::vector<LoadedRecord>& records, const std::string& what,
    const std::function<bool(const record::Record&)>& has,
    const std::function<std::vector<plot::Chart>(const LoadedRecord&)>& draw) {
  constexpr std::size_t most_runs = 4;
  std::vector<plot::Chart> charts;
  std::vector<ExcludedRun> left_out;
  std::size_t drawn = 0;
  std::size_t more = 0;
  for (const auto& loaded : records) {
    if (drawn == most_runs && has(loaded.record)) {
      ++more;
      continue;
    }
    auto of_run = draw(loaded);
    if (!plot::has_values(of_run.front())) {
      left_out.push_back({loaded.path, join(of_run.front().notes, "; ")});
      continue;
    }
    ++drawn;
    std::move(of_run.begin(), of_run.end(), std::back_inserter(charts));
  }
  if (charts.empty()) {
    charts.emplace_back();
  }
  auto& notes = charts.back().notes;
  if (more > 0) {
    notes.push_back(fmt::format("{} more {} with {}: not shown (--filter point=NAME chooses one)",
                                more, more == 1 ? "record" : "records", what));
  }
  append(notes, excluded_notes(left_out));
  return charts;
}

std::vector<double> distinct(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<plot::Chart> charts_of(const PlotSpec& spec, const std::vector<LoadedRecord>& records,
                                   const PlotOptions& options) {
  if (spec.keeps_disturbed) {
    return spec.make(records, options);
  }
  const auto found = undisturbed(records);
  auto charts = found.left_out.empty()
                    ? spec.make(records, options)
                    : spec.make(records_without(records, found.left_out), options);
  if (!charts.empty()) {
    auto& notes = charts.back().notes;
    append(notes, excluded_notes(found.excluded));
    if (const auto alone = found.disturbed.size(); alone > 0) {
      notes.push_back(fmt::format(
          "{} shown: they have no undisturbed repeats ('table telemetry' says by what)",
          alone == 1 ? "1 disturbed run is" : fmt::format("{} disturbed runs are", alone)));
    }
  }
  return charts;
}

}  // namespace epochcast::analysis
