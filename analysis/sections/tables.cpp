// Every table that the records allow. One that they do not allow is named, with the reason.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/report/section_spec.hpp"
#include "analysis/table_parts/tables_of.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"
#include "src/html/escape.hpp"
#include "src/html/page.hpp"
#include "src/table/columns.hpp"
#include "src/table/html_table.hpp"

namespace epochcast::analysis::sections {
namespace {

constexpr std::size_t most_rows = 1000;

/// Shown by other sections.
bool is_elsewhere(const std::string& name, const TableSpec& spec) {
  return name == "runs" || spec.of_files;
}

/// "12 x has no accuracy; 3 x not finished": the reasons for which runs were left out, the most
/// frequent first. What differs from run to run is behind the colon.
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
    if (table.name == "excluded" && !table.rows.empty()) {
      return fmt::format("no record fits ({})", reasons_in(table));
    }
  }
  const auto& notes = made.front().notes;
  return notes.empty() ? "no record has what it needs"
                       : fmt::format("no record has what it needs ({})", notes.front());
}

struct Made {
  std::vector<table::Table> tables;
  std::string fault;  ///< Why there are none.
};

Made make_table(const TableSpec& spec, const ReportInput& input) {
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

std::string tables_html(const std::string& name, const TableSpec& spec,
                        const std::vector<table::Table>& made) {
  auto text = html::element("h3", html::escaped(name)) + html::paragraph(spec.summary);
  for (auto table : made) {
    if (table.rows.empty() && table.notes.empty()) {
      continue;
    }
    table::remove_details(table);
    const auto id = fmt::format("tables-{}-{}", name, table.name);
    const auto one = table::html_table(table::without_empty_columns(table), id, most_rows);
    text += table.name == "excluded"
                ? html::details(fmt::format("{} not in these tables, with the reason",
                                            counted(table.rows.size(), "run")),
                                one)
                : one;
  }
  return text;
}

std::string make(const ReportInput& input) {
  std::string text;
  std::string missing;
  for (const auto& [name, spec] : tables::all()) {
    if (is_elsewhere(name, spec)) {
      continue;
    }
    const auto made = make_table(spec, input);
    if (made.fault.empty()) {
      text += tables_html(name, spec, made.tables);
    } else {
      missing += fmt::format("<li><strong>{}</strong> ({}): {}</li>\n", html::escaped(name),
                             html::escaped(spec.summary), html::escaped(made.fault));
    }
  }
  if (!missing.empty()) {
    text += html::element("h3", "Tables that these records do not allow") +
            html::element("ul", "\n" + missing);
  }
  return text;
}

}  // namespace

SectionSpec tables() {
  return {.place = 30, .heading = "Tables", .make = make};
}

}  // namespace epochcast::analysis::sections
