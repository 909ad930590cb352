#include "src/base/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"

namespace epochcast {
namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);  // from_chars accepts only '-'
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

struct Unit {
  std::string_view name;
  double factor;
};

// Longest names first, so that "ms" is not read as "m".
constexpr std::array duration_units{Unit{"ms", 1e-3}, Unit{"s", 1}, Unit{"m", 60}, Unit{"h", 3600},
                                    Unit{"d", 86400}};
constexpr std::array byte_units{Unit{"B", 1}, Unit{"K", 1024}, Unit{"M", 1048576},
                                Unit{"G", 1073741824}, Unit{"T", 1099511627776}};

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) {
    return parts;
  }
  for (std::size_t start = 0;;) {
    const auto end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) {
      return parts;
    }
    start = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool starts_with_any(std::string_view text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.starts_with(prefix); });
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(row);
  }
  return previous[b.size()];
}

std::string suggestion(std::string_view found, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  const int length = static_cast<int>(found.size());
  int least = (length < 4 ? 1 : std::max(2, length / 3)) + 1;
  for (const auto& candidate : known) {
    if (std::abs(length - static_cast<int>(candidate.size())) >= least) {
      continue;  // the distance is at least the difference of the lengths
    }
    const int distance = edit_distance(found, candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", *nearest);
}

std::string did_you_mean(std::string_view found, const std::vector<std::string>& known) {
  if (const auto meant = suggestion(found, known); !meant.empty()) {
    return meant;
  }
  return known.empty() ? "" : fmt::format("; known: {}", fmt::join(known, ", "));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_number<std::int64_t>(text);
}

std::optional<double> parse_double(std::string_view text) {
  return parse_number<double>(text);
}

std::optional<double> parse_duration_s(std::string_view text) {
  double total = 0;
  if (text.empty()) {
    return std::nullopt;
  }
  while (!text.empty()) {
    const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = parse_double(text.substr(0, digits));
    text.remove_prefix(digits);
    const auto unit = std::find_if(duration_units.begin(), duration_units.end(),
                                   [&](const Unit& u) { return text.starts_with(u.name); });
    if (!number || unit == duration_units.end()) {
      return std::nullopt;
    }
    total += *number * unit->factor;
    text.remove_prefix(unit->name.size());
  }
  return std::isfinite(total) ? std::optional(total) : std::nullopt;
}

std::string format_duration(double seconds) {
  if (!(seconds >= 0) || seconds != std::floor(seconds) || seconds > 1e15) {
    std::array<char, 400> digits{};  // no exponent, which a duration must not have
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), seconds,
                                   std::chars_format::fixed)
                         .ptr;
    return std::string(digits.data(), end) + "s";
  }
  std::string text;
  auto rest = static_cast<std::int64_t>(seconds);
  for (const auto& [name, length] : {std::pair{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}) {
    // "12h" and "90m" are easier to read than "0d12h0m"; days only for whole days.
    const bool whole_days = length != 86400 || rest % 86400 == 0;
    if (rest >= length && whole_days) {
      text += fmt::format("{}{}", rest / length, name);
      rest %= length;
    }
  }
  return text.empty() ? "0s" : text;
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  const auto digits = text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size()));
  auto name = text.substr(digits.size());
  if (name.size() > 1 && name.ends_with('B')) {
    name.remove_suffix(1);
  }
  const auto unit = std::find_if(byte_units.begin(), byte_units.end(),
                                 [&](const Unit& u) { return u.name == name; });
  if (unit == byte_units.end()) {
    return std::nullopt;
  }
  if (const auto whole = parse_integer(digits)) {  // exact also beyond 2^53
    std::int64_t bytes = 0;
    const bool overflow =
        __builtin_mul_overflow(*whole, static_cast<std::int64_t>(unit->factor), &bytes);
    return overflow ? std::nullopt : std::optional(bytes);
  }
  const double bytes = parse_double(digits).value_or(HUGE_VAL) * unit->factor;
  return bytes < 9e18 ? std::optional(std::llround(bytes)) : std::nullopt;
}

std::string format_bytes(std::int64_t bytes) {
  for (auto unit = byte_units.rbegin(); unit != byte_units.rend(); ++unit) {
    const auto size = static_cast<std::int64_t>(unit->factor);
    if (bytes != 0 && bytes % size == 0) {
      return fmt::format("{}{}", bytes / size, unit->name);
    }
  }
  return fmt::format("{}B", bytes);
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string format_fixed(double value, int decimals) {
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

NaturalKey natural_key(std::string_view text) {
  NaturalKey key{{}, std::string(text)};
  while (!text.empty()) {
    if (text.front() < '0' || text.front() > '9') {
      key.first.emplace_back(text.front(), 0);
      text.remove_prefix(1);
      continue;
    }
    double number = std::numeric_limits<double>::infinity();  // unchanged if it is too large
    const auto* end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    key.first.emplace_back('0', number);  // numbers sort among the characters like digits
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return key;
}

std::vector<NaturalKey> natural_keys(const std::vector<std::string>& texts) {
  return mapped(texts, natural_key);
}

std::vector<std::string> words_of_name(std::string_view name) {
  const auto in = [&](std::size_t at, char first, char last) {
    return name[at] >= first && name[at] <= last;
  };
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool capital = in(i, 'A', 'Z');
    const bool in_word = capital || in(i, 'a', 'z') || in(i, '0', '9');
    if (!in_word || (i >= 2 && capital && in(i - 1, 'a', 'z') && in(i - 2, 'a', 'z'))) {
      words.emplace_back();
    }
    if (in_word) {
      words.back() += to_lower(name.substr(i, 1));
    }
  }
  std::erase(words, "");
  return words;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

std::string shell_quote(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    throw Error("a NUL character cannot stand in a shell script");
  }
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+@%^";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace epochcast
