#include "src/measure/progress/lines/words.hpp"

#include "src/base/core/text.hpp"

namespace epochcast::progress {

std::size_t letter_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (text.empty() || byte(0) < 0xc3) {
    return !text.empty() && is_letter(text[0]) ? 1 : 0;
  }
  const std::size_t size = byte(0) < 0xe0 ? 2 : 3;
  const bool mark = byte(0) == 0xe2 || byte(0) > 0xed;  // U+2000 to U+2fff, full width, emoji
  if (mark || text.size() < size) {
    return 0;
  }
  const bool sign = (byte(0) == 0xc3 && (byte(1) == 0x97 || byte(1) == 0xb7)) ||  // times, divided
                    (byte(0) == 0xe3 && byte(1) == 0x80);                         // stops, brackets
  return sign ? 0 : size;
}

bool has_letter(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (letter_size(text.substr(at)) > 0) {
      return true;
    }
  }
  return false;
}

std::optional<std::int64_t> EpochCount::from_zero(std::int64_t printed, bool has_total) {
  if (printed < 0) {
    return std::nullopt;
  }
  if (!base_) {
    base_ = printed == 0 ? 0 : printed == 1 || has_total ? 1 : 0;
  }
  return printed - *base_ >= 0 ? std::optional(printed - *base_) : std::nullopt;
}

std::optional<std::int64_t> EpochCount::total(std::int64_t printed) const {
  return base_ == 1 ? std::optional(printed) : std::nullopt;
}

std::optional<std::int64_t> count_in(const RegularExpression::Match& match, std::string_view name) {
  std::string text(trim(match.text(name)));
  std::erase(text, ',');
  const auto value = parse_integer(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<double> seconds_in(const RegularExpression::Match& match, std::string_view name) {
  auto text = trim(match.text(name));
  const auto duration = take_duration(text);
  return duration ? std::optional(duration->seconds) : std::nullopt;
}

std::string shape_of(std::string_view text) {
  std::string shape;
  for (const char c : text) {
    if (is_digit(c) || (c == '.' && shape.ends_with('#'))) {
      shape += shape.ends_with('#') ? "" : "#";
    } else if (c != ' ' || !shape.ends_with(' ')) {
      shape += c;
    }
  }
  return shape;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 80;
  const auto trimmed = trim(text);
  return printable(trimmed.substr(0, most)) + (trimmed.size() > most ? "..." : "");
}

bool of_evaluation(std::string_view name) {
  static const RegularExpression form("(?i)" + std::string(held_out_word));
  return form.find(name).has_value();
}

bool is_rank(std::string_view lead) {
  static const RegularExpression form(
      R"((?i)^(?:[ [(<|]*|[^0-9]*(?<![a-z])(?:rank|worker|gpu|proc|node|cuda|device|local|tpu|default)[^0-9]*))"
      R"(\d{1,4}[^0-9]*$)");
  return form.find(trim(lead)).has_value();
}

}  // namespace epochcast::progress
