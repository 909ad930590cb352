#include "src/plot/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/core/text.hpp"

namespace epochcast::plot {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view ellipsis = "…";

/// A character and the number of its bytes; 0 bytes: the text does not begin with valid UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto lead = byte(0);
  const std::size_t bytes = lead < 0x80            ? 1
                            : (lead >> 5U) == 0x6  ? 2
                            : (lead >> 4U) == 0xE  ? 3
                            : (lead >> 3U) == 0x1E ? 4
                                                   : 0;
  if (bytes <= 1) {
    return {lead, bytes};
  }
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {};
    }
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[bytes] || surrogate || code > 0x10FFFF ? Character{} : Character{code, bytes};
}

/// Characters that turn the direction of writing let a text pass for another one.
bool is_harmful(std::uint32_t code) {
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
                     code == 0x200E || code == 0x200F;
  const bool breaks_line = code == 0x2028 || code == 0x2029;
  const bool not_in_xml = (code & 0xFFFEU) == 0xFFFE;
  return turns || breaks_line || not_in_xml || (code >= 0x7F && code < 0xA0);
}

std::string control_text(std::uint32_t code) {
  return code == '\n'   ? "\\n"
         : code == '\t' ? "\\t"
         : code == '\r' ? "\\r"
                        : fmt::format("\\x{:02x}", code);
}

/// In ems, as DejaVu Sans has it.
double width_of(std::uint32_t code) {
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
    const auto [code, bytes] = first_character(text);
    if (bytes == 0 || is_harmful(code)) {
      result += replacement;
    } else if (code < 0x20) {
      result += control_text(code);
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
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
    const auto [code, bytes] = first_character(text);
    ems += width_of(code);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return ems * font_px;
}

std::string shortened(std::string_view text, double width_px, double font_px) {
  const auto whole = clean(text);
  if (text_width(whole, font_px) <= width_px) {
    return whole;
  }
  std::string result;
  double width = text_width(ellipsis, font_px);
  for (std::string_view rest = whole; !rest.empty();) {
    const auto bytes = std::max<std::size_t>(first_character(rest).bytes, 1);
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
