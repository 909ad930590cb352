#include "analysis/report/report_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/output/table/columns.hpp"
#include "src/output/table/fitted.hpp"
#include "src/output/table/html_table.hpp"

namespace epochcast::analysis {
namespace {

/// "12 x has no accuracy; 3 x not finished": the reasons for which runs were left out, the most
/// frequent first. What differs from run to run is after the colon.
std::string reasons_in(const table::Table& excluded) {
  constexpr std::size_t most_named = 3;
  std::map<std::string, std::size_t> counts;
  for (const auto& row : excluded.rows) {
    const auto text = table::cell_text(row.back(), excluded.columns.back());
    ++counts[text.substr(0, text.find(": "))];
  }
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> parts;
  for (const auto& [reason, count] : sorted) {
    if (parts.size() < most_named) {
      parts.push_back(fmt::format("{} of them: {}", count, reason));
    }
  }
  return join(parts, "; ");
}

/// Why a table without rows has none.
std::string why_empty(const std::vector<table::Table>& made) {
  for (const auto& table : made) {
    if (table.lists_excluded && !table.rows.empty()) {
      return fmt::format("no record fits ({})", reasons_in(table));
    }
  }
  const auto& notes = made.front().notes;
  return notes.empty() ? "no record has what it needs"
                       : fmt::format("no record has what it needs ({})", notes.front());
}

/// Whether the main table has what makes it a result.
bool answers(const Answer& answer, const table::Table& table) {
  const auto column = std::ranges::find(table.columns, answer.column, &table::Column::key);
  const auto place = static_cast<std::size_t>(column - table.columns.begin());
  std::set<double> values;
  for (const auto& row : table.rows) {
    const auto* number = place < row.size() ? std::get_if<double>(&row[place]) : nullptr;
    if (number != nullptr) {
      values.insert(*number);
    }
  }
  return values.size() >= answer.values;
}

}  // namespace

MadeTables make_tables(const TableSpec& spec, const ReportInput& input) {
  if (spec.rows == record::Rows::all && !input.without_steps.empty()) {
    return {{}, "needs the steps of the runs; " + input.without_steps};
  }
  try {
    auto tables = tables_of(spec, input.records, {.cluster = input.request.cluster});
    if (tables.empty() || tables.front().rows.empty()) {
      return {{}, tables.empty() ? "no record has what it needs" : why_empty(tables)};
    }
    return {std::move(tables), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

std::string tables_html(const std::string& name, const std::vector<table::Table>& made) {
  constexpr std::size_t most_rows = 1000;
  auto text =
      html::element("h3", html::escaped(name)) + html::paragraph(tables::all().at(name).summary);
  for (auto table : made) {
    if (table.rows.empty() && table.notes.empty()) {
      continue;
    }
    table::remove_details(table);
    table = table::without_empty_columns(table);
    table::note_constants(table);
    const auto id = fmt::format("tables-{}-{}", name, table.name);
    const auto one = table::html_table(table, id, most_rows);
    text += table.lists_excluded
                ? html::details(fmt::format("{} not in these tables, with the reason",
                                            counted(table.rows.size(), "run")),
                                one)
                : one;
  }
  return text;
}

ResultTable result_table(const ReportInput& input) {
  std::map<int, std::string> names;
  for (const auto& [name, spec] : tables::all()) {
    names.emplace(spec.answer.place, name);
  }
  names.erase(0);
  for (const auto& [place, name] : names) {
    const auto& spec = tables::all().at(name);
    auto made = make_tables(spec, input);
    if (made.fault.empty() && answers(spec.answer, made.tables.front())) {
      return {name, std::move(made.tables)};
    }
  }
  return {};
}

}  // namespace epochcast::analysis
