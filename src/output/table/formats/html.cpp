// One file for a browser: tables that sort, scroll on a phone and print, without a network.
#include <fmt/format.h>

#include "src/output/html/escape.hpp"
#include "src/output/html/page.hpp"
#include "src/output/table/format.hpp"
#include "src/output/table/html_table.hpp"

namespace epochcast::table::formats {
namespace html_writer {

std::string write(const std::vector<Table>& tables) {
  const auto title = tables.empty() ? std::string("Tables") : tables.front().title;
  std::string main;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    main += html_table(tables[i], fmt::format("table-{}", i + 1));
  }
  return html::document(
      {.title = title,
       .body = html::element("header", "\n" + html::element("h1", html::escaped(title))) +
               html::element("main", "\n" + main)});
}

}  // namespace html_writer

FormatSpec html() {
  return {.summary = "a page for a browser, in one file",
          .suffix = "html",
          .for_readers = true,
          .write = html_writer::write};
}

}  // namespace epochcast::table::formats
