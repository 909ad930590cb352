#include "src/output/plot/words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/base/core/text.hpp"
#include "src/base/core/utf8.hpp"

namespace epochcast::plot {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view ellipsis = "…";

std::string control_text(char32_t code) {
  return code == '\n'   ? "\\n"
         : code == '\t' ? "\\t"
         : code == '\r' ? "\\r"
                        : fmt::format("\\x{:02x}", static_cast<unsigned>(code));
}

/// In ems, as DejaVu Sans has it.
double character_width(char32_t code) {
  if (code >= 0x1100) {
    return code < 0x2000 || code > 0x2BFF ? 1.0 : 0.75;  // Chinese, pictures; arrows, signs
  }
  const auto is_in = [&](std::string_view set) {
    return code < 0x80 && set.find(static_cast<char>(code)) != std::string_view::npos;
  };
  if (is_in("ijl.,:;'|!")) {
    return 0.33;
  }
  if (is_in(" ftrI()[]/\\-\"")) {
    return 0.4;
  }
  if (is_in("mwMW@%")) {
    return 0.97;
  }
  return code >= 'A' && code <= 'Z' ? 0.71 : 0.63;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto found = first_code_point(text);
    const auto [code, bytes] = found.value_or(CodePoint{});
    if (!found || (code >= 0x7F && is_unseen(code))) {
      result += replacement;
    } else if (code < 0x20) {
      result += control_text(code);
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

double text_width(std::string_view text, double font_px) {
  double ems = 0;
  while (!text.empty()) {
    const auto [code, bytes] = first_code_point(text).value_or(CodePoint{});
    ems += character_width(code);
    text.remove_prefix(bytes);
  }
  return ems * font_px;
}

std::string shortened(std::string_view text, double width_px, double font_px) {
  auto whole = clean(text);
  if (text_width(whole, font_px) <= width_px) {
    return whole;
  }
  std::string result;
  double width = text_width(ellipsis, font_px);
  for (std::string_view rest = whole; !rest.empty();) {
    const auto bytes = first_code_point(rest).value_or(CodePoint{}).bytes;
    width += text_width(rest.substr(0, bytes), font_px);
    if (width > width_px) {
      break;
    }
    result += rest.substr(0, bytes);
    rest.remove_prefix(bytes);
  }
  return std::string(trim(result)) + std::string(ellipsis);
}

std::vector<std::string> wrapped(std::string_view text, double width_px, double font_px,
                                 std::size_t most_lines) {
  std::vector<std::string> lines;
  const auto words = split(clean(text), ' ');
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto longer = line.empty() ? words[i] : line + " " + words[i];
    if (line.empty() || text_width(longer, font_px) <= width_px) {
      line = longer;
      continue;
    }
    if (lines.size() + 1 == most_lines) {
      lines.push_back(shortened(longer + " " + std::string(ellipsis), width_px, font_px));
      return lines;
    }
    lines.push_back(shortened(line, width_px, font_px));
    line = words[i];
  }
  if (!line.empty()) {
    lines.push_back(shortened(line, width_px, font_px));
  }
  return lines;
}

std::string shown(double value) {
  const double size = std::abs(value);
  return size >= 1000 && size < 1e9 ? format_fixed(value, 0) : fmt::format("{:.4g}", value);
}

}  // namespace epochcast::plot
