#include "src/measure/progress/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "src/base/core/text.hpp"

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

namespace {

/// Words of sentences, in which a number after a word is no value of that name.
bool is_sentence(std::string_view text) {
  static constexpr std::array words{
      std::string_view("to"),     std::string_view("of"),    std::string_view("from"),
      std::string_view("is"),     std::string_view("was"),   std::string_view("the"),
      std::string_view("not"),    std::string_view("did"),   std::string_view("went"),
      std::string_view("with"),   std::string_view("for"),   std::string_view("than"),
      std::string_view("into"),   std::string_view("after"), std::string_view("saved"),
      std::string_view("saving"), std::string_view("will"),  std::string_view("has")};
  const auto low = to_lower(text);
  return std::ranges::any_of(words, [&](auto word) {
    const auto at = (" " + low + " ").find(" " + std::string(word) + " ");
    return at != std::string::npos;
  });
}

/// The size of a word at the front that stands for a value that is no number; 0: none.
std::size_t no_number(std::string_view text) {
  for (const std::string_view word : {"nan", "-nan", "+nan", "inf", "-inf", "+inf", "infinity",
                                      "-infinity", "none", "null", "n/a", "--"}) {
    const auto after = text.substr(std::min(text.size(), word.size()));
    if (text.size() >= word.size() && to_lower(text.substr(0, word.size())) == word &&
        (after.empty() ||
         !(is_letter(after.front()) || is_digit(after.front()) ||
           std::string_view("_:=/-").find(after.front()) != std::string_view::npos))) {
      return word.size();
    }
  }
  return 0;
}

/// What stands between the last value and the next: a name and its separator.
struct Lead {
  std::string_view name;
  bool marked = false;  ///< By ':' or '='.
};

std::optional<Lead> lead_of(std::string_view before, bool bare) {
  const auto words = before.find_last_not_of(" \t[('\"");
  if (words == std::string_view::npos) {
    return std::nullopt;
  }
  const char separator = before[words];
  const bool marked = separator == ':' || separator == '=';
  const bool bracket = before.find_first_of("[('\"", words) != std::string_view::npos;
  if (marked) {
    before = before.substr(0, words);
    before = before.substr(0, before.find_last_not_of(" \t'\"") + 1);
  } else if (!bare || bracket || words + 2 != before.size()) {
    return std::nullopt;
  } else {
    before = before.substr(0, words + 1);
  }
  // "time (s): 12", "Time[s]: 12"
  for (const std::string_view unit :
       {"(s)", "[s]", "(sec)", "[sec]", "(seconds)", "(min)", "(ms)"}) {
    if (before.ends_with(unit)) {
      before.remove_suffix(unit.size());
      before = before.substr(0, before.find_last_not_of(' ') + 1);
    }
  }
  const auto name = name_at_end(before);
  return name.empty() ? std::nullopt : std::optional(Lead{.name = name, .marked = marked});
}

/// Seconds in the unit that a bracket after the name states.
double unit_in_brackets_s(std::string_view before) {
  return before.find("(min)") != std::string_view::npos  ? 60
         : before.find("(ms)") != std::string_view::npos ? 0.001
                                                         : 1;
}

}  // namespace

std::vector<Measured> measured_values(std::string_view text, bool bare) {
  constexpr std::size_t most = 64;
  bare = bare && !is_sentence(text);
  std::vector<Measured> found;
  std::size_t last = 0;
  for (std::size_t at = 0; at < text.size() && found.size() < most; ++at) {
    const bool at_word = at > 0 && !is_letter(text[at - 1]) && text[at - 1] != '_';
    if (const auto size = at_word ? no_number(text.substr(at)) : 0) {
      last = at + size;
      at = last - 1;
      continue;
    }
    const bool begins = is_digit(text[at]) || text[at] == '-' || text[at] == '+' || text[at] == '.';
    if (!begins || at == 0) {
      continue;
    }
    const auto before = text.substr(last, at - last);
    const auto lead = lead_of(before, bare);
    const auto time = lead ? time_name(lead->name) : TimeName::none;
    if (time != TimeName::none) {
      Scanner scanner(text.substr(at));
      if (const auto duration = take_duration(scanner)) {
        const double unit_s = duration->has_unit ? 1 : unit_in_brackets_s(before);
        last = text.size() - scanner.rest().size();
        at = std::max(at, last - 1);
        found.push_back({.named = {.name = std::string(lead->name), .value = duration->seconds},
                         .unit = {},
                         .duration_s = duration->seconds * unit_s});
        continue;
      }
    }
    double value = 0;
    const auto* first = text.data() + at + (text[at] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    const auto next = std::size_t(end - text.data());
    if (error != std::errc{} || !lead) {
      // A number of its own ends what may be a name; "acc1", "f1-score" and "mAP@0.5" are names.
      if (error == std::errc{} &&
          std::string_view(" \t([{|,;<").find(text[at - 1]) != std::string_view::npos) {
        last = next;
        at = next - 1;
      }
      continue;
    }
    auto behind = next;
    while (behind < text.size() && (is_letter(text[behind]) || text[behind] == '%')) {
      ++behind;
    }
    const bool ends = behind >= text.size() ||
                      std::string_view(":/_").find(text[behind]) == std::string_view::npos;
    if (ends && std::isfinite(value)) {
      found.push_back({.named = {.name = std::string(lead->name), .value = value},
                       .unit = text.substr(next, behind - next),
                       .duration_s = {}});
    }
    last = next;
    at = next - 1;
  }
  return found;
}

std::vector<NamedValue> named_values(std::string_view text, bool bare) {
  std::vector<NamedValue> found;
  for (auto& value : measured_values(text, bare)) {
    if (!value.duration_s && (value.unit.empty() || value.unit == "%")) {
      found.push_back(std::move(value.named));
    }
  }
  return found;
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

bool has_word(std::string_view low, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) {
    for (auto at = low.find(word); at != std::string_view::npos; at = low.find(word, at + 1)) {
      if (at == 0 || !is_letter(low[at - 1])) {
        return true;
      }
    }
    return false;
  });
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

bool is_rank(std::string_view lead) {
  static const RegularExpression form(
      R"((?i)^(?:[ [(<|]*|[^0-9]*(?<![a-z])(?:rank|worker|gpu|proc|node|cuda|device|local|tpu|default)[^0-9]*))"
      R"(\d{1,4}[^0-9]*$)");
  return form.find(trim(lead)).has_value();
}

}  // namespace epochcast::progress
