#include "src/progress/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/core/text.hpp"

namespace epochcast::progress {
namespace {

bool in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '/' || c == '.' || c == '@' || c == '-';
}

/// The name that ends where `text` ends: up to three words that no separator parts.
std::string_view name_at_end(std::string_view text) {
  std::size_t begin = text.size();
  for (int words = 0; words < 3; ++words) {
    auto at = begin;
    while (at > 0 && text[at - 1] == ' ' && begin - at < 1) {
      --at;
    }
    const auto end = at;
    while (at > 0 && in_name(text[at - 1])) {
      --at;
    }
    while (at < end && !is_letter(text[at]) && text[at] != '_') {
      ++at;  // not "3" of "epoch 3", nor the dash of "- loss"
    }
    const bool word =
        at < end && (words == 0 || end < begin) &&
        std::all_of(text.begin() + std::ptrdiff_t(at), text.begin() + std::ptrdiff_t(end), in_name);
    if (!word) {
      break;
    }
    const bool whole_word = at == 0 || text[at - 1] == ' ';
    begin = at;
    if (!whole_word) {
      break;
    }
  }
  return text.substr(begin);
}

}  // namespace

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

std::optional<double> clock_time_s(std::string_view text) {
  double days = 0;
  for (const std::string_view unit : {" days, ", " day, ", "d "}) {
    if (const auto at = text.find(unit); at != std::string_view::npos) {
      days = parse_double(text.substr(0, at)).value_or(-1);
      text.remove_prefix(at + unit.size());
      break;
    }
  }
  if (days < 0) {
    return std::nullopt;
  }
  Scanner scanner(text);
  double seconds = 0;
  int parts = 0;
  do {
    const auto part = whole(scanner);
    if (!part || ++parts > 3) {
      return std::nullopt;
    }
    seconds = seconds * 60 + static_cast<double>(*part);
  } while (scanner.skip(":"));
  return parts >= 2 && scanner.at_end() ? std::optional(days * 86400 + seconds) : std::nullopt;
}

std::vector<Measured> measured_values(std::string_view text, bool bare) {
  constexpr std::size_t most = 64;
  std::vector<Measured> found;
  std::size_t last = 0;
  for (std::size_t at = 0; at < text.size() && found.size() < most; ++at) {
    const bool begins = is_digit(text[at]) || text[at] == '-' || text[at] == '+' || text[at] == '.';
    if (!begins || at == 0) {
      continue;
    }
    auto before = text.substr(last, at - last);
    const auto words = before.find_last_not_of(' ');
    if (words == std::string_view::npos) {
      continue;
    }
    const char separator = before[words];
    const bool marked = separator == ':' || separator == '=';
    if (marked) {
      before = before.substr(0, words);
      before = before.substr(0, before.find_last_not_of(' ') + 1);
    } else if (!bare || words + 2 != before.size()) {
      continue;
    } else {
      before = before.substr(0, words + 1);
    }
    const auto name = name_at_end(before);
    double value = 0;
    const auto* first = text.data() + at + (text[at] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    const auto next = std::size_t(end - text.data());
    if (error != std::errc{} || name.empty()) {
      continue;
    }
    auto behind = next;
    while (behind < text.size() && (is_letter(text[behind]) || text[behind] == '%')) {
      ++behind;
    }
    const bool ends = behind >= text.size() ||
                      std::string_view(":/_").find(text[behind]) == std::string_view::npos;
    if (ends && std::isfinite(value)) {
      found.push_back({.named = {.name = std::string(name), .value = value},
                       .unit = text.substr(next, behind - next)});
    }
    last = next;
    at = next - 1;
  }
  return found;
}

std::vector<NamedValue> named_values(std::string_view text, bool bare) {
  std::vector<NamedValue> found;
  for (auto& value : measured_values(text, bare)) {
    if (value.unit.empty() || value.unit == "%") {
      found.push_back(std::move(value.named));
    }
  }
  return found;
}

bool of_evaluation(std::string_view name) {
  const auto low = to_lower(name);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"val", "test", "eval", "dev ", "dev_", "sanity",
                                              "predict", "heldout"},
      [&](auto word) {
        const auto at = low.find(word);
        return at != std::string::npos && (at == 0 || !is_letter(low[at - 1]));
      });
}

}  // namespace epochcast::progress
