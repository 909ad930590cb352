#include "src/output/plot/elements.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/base/core/text.hpp"
#include "src/output/plot/words.hpp"

namespace epochcast::plot {

std::string px(double value) {
  auto text = format_fixed(value, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string text_element(double x, double y, const std::string& classes, Anchor anchor,
                         std::string_view text) {
  const std::string_view where = anchor == Anchor::start    ? ""
                                 : anchor == Anchor::middle ? R"( text-anchor="middle")"
                                                            : R"( text-anchor="end")";
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\"{}>{}</text>\n", classes, px(x), px(y),
                     where, escaped(text));
}

std::string line_element(double x1, double y1, double x2, double y2, const std::string& classes) {
  return path_element(fmt::format("M{} {}L{} {}", px(x1), px(y1), px(x2), px(y2)), classes);
}

std::string path_element(const std::string& d, const std::string& classes,
                         const std::string& more) {
  return fmt::format("<path class=\"{}\" d=\"{}\"{}/>\n", classes, d, more);
}

std::string with_title(const std::string& begun, std::string_view title) {
  const auto end = begun.find(' ');
  return fmt::format("{}><title>{}</title></{}>\n", begun, escaped(title),
                     begun.substr(1, end - 1));
}

}  // namespace epochcast::plot
