#include "src/measure/progress/words.hpp"

#include <algorithm>
#include <charconv>

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

std::optional<std::int64_t> whole(Scanner& scanner) {
  constexpr std::size_t most_digits = 15;
  const auto rest = scanner.rest();
  const auto digits =
      std::size_t(std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin());
  std::int64_t value = 0;
  if (digits == 0 || digits > most_digits) {
    return std::nullopt;
  }
  std::from_chars(rest.data(), rest.data() + digits, value);
  scanner.skip(rest.substr(0, digits));
  return value;
}

std::optional<Fraction> fraction(Scanner& scanner) {
  auto at = scanner;
  const bool bracket = at.skip("[");
  while (at.skip(" ")) {
  }
  const auto number = whole(at);
  if (!number) {
    return std::nullopt;
  }
  Fraction found{.number = *number, .total = {}};
  auto after = at;
  after.skip(" ");
  if (after.skip("/") || after.skip("of ")) {
    while (after.skip(" ")) {
    }
    found.total = whole(after);
    if (!found.total) {
      return std::nullopt;
    }
    at = after;
  }
  if (bracket && !at.skip("]")) {
    return std::nullopt;
  }
  scanner = at;
  return found;
}

std::optional<std::int64_t> count_in(const RegularExpression::Match& match, std::string_view name) {
  std::string text(trim(match[name].value_or("")));
  std::erase(text, ',');
  const auto value = parse_integer(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<double> seconds_in(const RegularExpression::Match& match, std::string_view name) {
  Scanner scanner(trim(match[name].value_or("")));
  const auto duration = take_duration(scanner);
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
