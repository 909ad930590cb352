#include "src/measure/progress/lines/words.hpp"

#include <algorithm>

#include "src/base/core/text.hpp"

namespace epochcast::progress {
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
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:val|test|eval|dev[ _]|sanity|predict|heldout))");
  return form.find(name).has_value();
}

bool is_rank(std::string_view lead) {
  static const RegularExpression form(
      R"((?i)^(?:[ [(<|]*|[^0-9]*(?<![a-z])(?:rank|worker|gpu|proc|node|cuda|device|local|tpu|default)[^0-9]*))"
      R"(\d{1,4}[^0-9]*$)");
  return form.find(trim(lead)).has_value();
}

}  // namespace epochcast::progress
