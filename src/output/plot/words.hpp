// Texts in pictures: they come from records, so they may be anything; none may break the picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace epochcast::plot {

/// The text in one line of valid UTF-8 that XML allows: control characters as "\n" or "\x1b", and
/// bytes that are not UTF-8, or that turn the direction of writing, as U+FFFD.
std::string clean(std::string_view text);

/// clean(), with the characters that mean something in XML as entities; also for attributes in
/// double quotes.
std::string escaped(std::string_view text);

/// Estimated width of a clean text in pixels: that of DejaVu Sans, which is wider than most fonts.
double text_width(std::string_view text, double font_px);

/// The clean text, or its beginning and "…" where it is wider than `width_px`.
std::string shortened(std::string_view text, double width_px, double font_px);

/// The clean text in lines no wider than `width_px`, broken at spaces; the last of `most_lines`
/// ends in "…" where there is more. No line for an empty text.
std::vector<std::string> wrapped(std::string_view text, double width_px, double font_px,
                                 std::size_t most_lines);

/// A number for a reader, with four significant digits at least: "12.34", "25316", "3.2e-05".
std::string shown(double value);

}  // namespace epochcast::plot
