#include "analysis/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/report/section_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/output/plot/svg.hpp"

namespace epochcast::analysis {
namespace {

struct MadeSection {
  std::string name;
  int place;
  std::string heading;
  std::string body;
};

std::vector<MadeSection> made_sections(const ReportInput& input) {
  std::vector<MadeSection> made;
  for (const auto& [name, spec] : sections::all()) {
    if (auto text = spec.make(input); !text.empty()) {
      made.push_back({name, spec.place, spec.heading, std::move(text)});
    }
  }
  std::ranges::stable_sort(made, {}, &MadeSection::place);
  return made;
}

std::string title_of(const ReportInput& input, const ReportStamp& stamp) {
  if (!stamp.title.empty()) {
    return stamp.title;
  }
  constexpr std::size_t most_named = 3;
  std::set<std::string> names;
  for (const auto& loaded : input.records) {
    names.insert(loaded.record.header.experiment.str());
  }
  names.erase("");
  if (names.empty() || names.size() > most_named) {
    return "Report of " + counted(input.records.size(), "run");
  }
  return "Report: " + join({names.begin(), names.end()}, ", ");
}

std::string contents(const std::vector<MadeSection>& made) {
  std::string items;
  for (const auto& section : made) {
    items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.name,
                         html::escaped(section.heading));
  }
  return html::element("nav", "\n<ul>\n" + items + "</ul>\n", "aria-label=\"Contents\"");
}

std::string section_html(const MadeSection& section) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 id=\"{0}-heading\">{1}</h2>\n"
      "{2}</section>\n",
      section.name, html::escaped(section.heading), section.body);
}

}  // namespace

std::string report_page(const ReportInput& input, const ReportStamp& stamp) {
  const auto made = made_sections(input);
  const auto title = title_of(input, stamp);
  std::string body = "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n";
  body += html::element(
      "header", "\n" + html::element("h1", html::escaped(title)) +
                    html::paragraph(fmt::format("Made {} by {}.", stamp.made_at, stamp.made_by)));
  body += contents(made);
  std::string main = "\n";
  for (const auto& section : made) {
    main += section_html(section);
  }
  body += html::element("main", main, "id=\"main\" tabindex=\"-1\"");
  body += html::element(
      "footer", html::paragraph("This file is complete: it loads nothing and sends nothing."));
  return html::document({.title = title, .body = body, .style = plot::stylesheet()});
}

}  // namespace epochcast::analysis
