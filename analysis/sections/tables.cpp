// Every further table that the records allow. One that they do not allow is named, with the reason.
#include <fmt/format.h>

#include "analysis/report/report_tables.hpp"
#include "analysis/report/section_spec.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"

namespace epochcast::analysis::sections {
namespace tables_section {

/// Shown by other sections.
bool is_elsewhere(const std::string& name, const TableSpec& spec) {
  return name == "runs" || spec.of_files;
}

std::string make(const ReportInput& input) {
  std::string text;
  std::string missing;
  const auto result = result_table(input).name;
  for (const auto& [name, spec] : tables::all()) {
    if (is_elsewhere(name, spec) || name == result) {
      continue;
    }
    const auto made = make_tables(spec, input);
    if (made.fault.empty()) {
      text += tables_html(name, made.tables);
    } else {
      missing += fmt::format("<li><strong>{}</strong> ({}): {}</li>\n", html::escaped(name),
                             html::escaped(spec.summary), html::escaped(made.fault));
    }
  }
  if (!missing.empty()) {
    text += html::details("Tables that these records do not allow",
                          html::element("ul", "\n" + missing));
  }
  return text;
}

}  // namespace tables_section

SectionSpec tables() {
  return {.place = 30, .heading = "More tables", .make = tables_section::make};
}

}  // namespace epochcast::analysis::sections
