#include "src/output/html/page.hpp"

#include <fmt/format.h>

#include "src/output/html/escape.hpp"

namespace epochcast::html {

std::string document(const Page& page) {
  // 'none' for all but what is in the file: even a mark that escaped() let through could not call.
  constexpr const char* policy =
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
      "base-uri 'none'; form-action 'none'";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
      "<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n{}<script>\n{}</script>\n"
      "</body>\n</html>\n",
      policy, escaped(page.title), page_style, page.style, page.body, page_script);
}

std::string element(const std::string& name, const std::string& html,
                    const std::string& attributes) {
  return fmt::format("<{0}{1}{2}>{3}</{0}>\n", name, attributes.empty() ? "" : " ", attributes,
                     html);
}

std::string paragraph(const std::string& text) {
  return element("p", escaped(text));
}

std::string list(const std::vector<std::string>& texts, const std::string& attributes) {
  std::string items;
  for (const auto& text : texts) {
    items += element("li", escaped(text));
  }
  return items.empty() ? "" : element("ul", "\n" + items, attributes);
}

std::string details(const std::string& summary, const std::string& html) {
  return element("details", "\n" + element("summary", escaped(summary)) + html);
}

}  // namespace epochcast::html
