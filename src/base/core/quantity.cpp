#include "src/base/core/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

[[noreturn]] void refuse(std::string_view found, std::string_view expected) {
  throw Error(fmt::format("found '{}', expected {}", found, expected));
}

/// The value of `text`, which has any numeric type, as a number.
double magnitude(std::string_view text) {
  if (const auto number = parse_double(text)) {
    return *number;
  }
  if (const auto seconds = parse_duration_s(text)) {
    return *seconds;
  }
  return static_cast<double>(parse_bytes(text).value_or(0));
}

/// Whether `number` satisfies ">=1", ">0", "0..1" or "0..<1".
bool within(double number, std::string_view allowed) {
  const auto border = [&](std::string_view text) {
    const auto value = parse_double(text);
    if (!value) {
      throw std::logic_error(fmt::format(
          "'{}' in the table of options: expected A|B, >=N, >N, LOW..HIGH, LOW..<HIGH or path",
          allowed));
    }
    return *value;
  };
  if (allowed.starts_with(">=")) {
    return number >= border(allowed.substr(2));
  }
  if (allowed.starts_with(">")) {
    return number > border(allowed.substr(1));
  }
  const auto dots = allowed.find("..");
  const double low = border(allowed.substr(0, dots));
  const auto high = dots == std::string_view::npos ? "" : allowed.substr(dots + 2);
  const bool below = high.starts_with('<');
  const double top = border(high.substr(below ? 1 : 0));
  return number >= low && (below ? number < top : number <= top);
}

}  // namespace

std::string to_text(bool value) {
  return value ? "true" : "false";
}
std::string to_text(std::int64_t value) {
  return std::to_string(value);
}
std::string to_text(double value) {
  return format_shortest(value);
}
std::string to_text(const std::optional<double>& value) {
  return value ? format_shortest(*value) : "";
}
std::string to_text(const std::string& value) {
  return value;
}
std::string to_text(Seconds value) {
  return format_duration(value.value);
}
std::string to_text(Bytes value) {
  return format_bytes(value.value);
}

void from_text(std::string_view text, bool& value) {
  const bool yes = text == "true" || text == "yes" || text == "on";
  if (!yes && text != "false" && text != "no" && text != "off") {
    refuse(text, "true or false");
  }
  value = yes;
}

void from_text(std::string_view text, std::int64_t& value) {
  const auto number = parse_integer(text);
  if (!number) {
    refuse(text, "a whole number");
  }
  value = *number;
}

void from_text(std::string_view text, double& value) {
  const auto number = parse_double(text);
  if (!number || !std::isfinite(*number)) {
    refuse(text, "a number");
  }
  value = *number;
}

void from_text(std::string_view text, std::optional<double>& value) {
  double number = 0;
  from_text(text, number);
  value = number;
}

void from_text(std::string_view text, std::string& value) {
  value = text;
}

void from_text(std::string_view text, Seconds& value) {
  const auto seconds = parse_duration_s(text);
  if (!seconds) {
    refuse(
        text,
        "a duration with units, such as 90m, 1h30m or 45s (Slurm reads a bare number as minutes, "
        "YAML reads 1:30:00 as 5400)");
  }
  value.value = *seconds;
}

void from_text(std::string_view text, Bytes& value) {
  const auto bytes = parse_bytes(text);
  if (!bytes) {
    refuse(text, "a size with a unit, such as 16G or 512M");
  }
  value.value = *bytes;
}

void check_allowed(std::string_view text, std::string_view allowed) {
  if (allowed.empty() || is_path(allowed)) {
    return;
  }
  if (allowed.find('|') == std::string_view::npos) {
    if (!within(magnitude(text), allowed)) {
      refuse(text, allowed.find("..") == std::string_view::npos
                       ? fmt::format("a value {}", allowed)
                       : fmt::format("a value in {}", allowed));
    }
    return;
  }
  auto words = split(allowed, '|');
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    std::erase(words, "");  // allowed, but not a useful suggestion
    refuse(text, fmt::format("one of {}{}", join(words, ", "), suggestion(text, words)));
  }
}

}  // namespace epochcast
