// The table that answers what the records were made for, and every run.
#include <fmt/format.h>

#include <set>

#include "analysis/report/report_tables.hpp"
#include "analysis/report/section_spec.hpp"
#include "src/output/html/page.hpp"
#include "src/output/table/columns.hpp"
#include "src/output/table/fitted.hpp"
#include "src/output/table/html_table.hpp"

namespace epochcast::analysis::sections {
namespace results_section {

constexpr std::size_t most_rows = 2000;
/// More would push the pictures off the first screens.
constexpr std::size_t most_unfolded = 25;

/// Columns that 'What ran where' and the list of runs that need a second look have.
const std::set<std::string> elsewhere{"host",    "job_id",    "restart",
                                      "tainted", "disturbed", "outcome_text"};

std::string runs_html(const ReportInput& input) {
  std::string text;
  for (auto table : tables::all().at("runs").make(input.records, {})) {
    table::remove_columns_if(
        table, [&](std::size_t place) { return elsewhere.contains(table.columns[place].key); });
    table = table::without_empty_columns(table);
    table::note_constants(table);
    const auto one = table::html_table(table, "results-" + table.name, most_rows);
    text += table.rows.size() > most_unfolded
                ? html::details(fmt::format("All {} runs", table.rows.size()), one)
                : one;
  }
  return text;
}

std::string make(const ReportInput& input) {
  std::string text;
  if (const auto result = result_table(input); !result.name.empty()) {
    text += tables_html(result.name, result.tables);
  }
  return text + html::element("h3", "runs") + html::paragraph(tables::all().at("runs").summary) +
         runs_html(input);
}

}  // namespace results_section

SectionSpec results() {
  return {.place = 15, .heading = "Results", .make = results_section::make};
}

}  // namespace epochcast::analysis::sections
