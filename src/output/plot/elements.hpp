// The elements of SVG that pictures consist of, as text.
#pragma once

#include <string>
#include <string_view>

namespace epochcast::plot {

/// A coordinate: two digits after the point at most, without zeros at the end.
std::string px(double value);

enum class Anchor { start, middle, end };

/// `text` is escaped here.
std::string text_element(double x, double y, const std::string& classes, Anchor anchor,
                         std::string_view text);

std::string line_element(double x1, double y1, double x2, double y2, const std::string& classes);

/// `d` is the path; `more` further attributes, with a blank before each.
std::string path_element(const std::string& d, const std::string& classes,
                         const std::string& more = {});

/// Ends an element that was begun ("<circle ..."), with the text that is shown under the pointer.
std::string with_title(const std::string& begun, std::string_view title);

}  // namespace epochcast::plot
