#include "src/measure/progress/lines/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"

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

/// Whether the text has words of sentences, in which a number after a word is no value of that
/// name.
bool is_sentence(std::string_view text) {
  static const RegularExpression words(
      R"((?i)(?<![^ ])(?:to|of|from|is|was|the|not|did|went|with|for|than|into|after(?! \d)|saved|saving|will)"
      R"(|has)(?![^ ]))");
  return words.find(text).has_value();
}

/// The size of a word at the front that stands for a value that is no number; 0: none.
std::size_t no_number(std::string_view text) {
  static const RegularExpression words(
      R"(^(?<word>(?i:[-+]?(?:nan|inf)|-?infinity|none|null|n/a)|--)(?![\w:=/-]))");
  const auto match = words.find(text);
  return match ? match->text("word").size() : 0;
}

/// Verbs and marks of what was printed before a name: "finished. Train Loss", "done! loss".
std::string_view without_verb(std::string_view name) {
  static const RegularExpression verb(
      R"((?i)^(?:finished|completed?|done|ended|ends?|over|results?|summary|report|metrics|stats))"
      R"((?:[.!]+ *| +)(?<name>[a-z_].*)$)");
  const auto match = verb.find(name);
  return match ? match->text("name") : name;
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
  static const RegularExpression unit(
      R"((?<unit> *(?:\((?:s|sec|seconds|min|ms)\)|\[s(?:ec)?\]))$)");
  if (const auto match =
          before.ends_with(')') || before.ends_with(']') ? unit.find(before) : std::nullopt) {
    before.remove_suffix(match->text("unit").size());
  }
  const auto name = without_verb(name_at_end(before));
  return name.empty() ? std::nullopt : std::optional(Lead{.name = name, .marked = marked});
}

/// Names of what runs the program, and of a place in it: "pid", "ip", "Rank", "train.py".
bool names_no_metric(std::string_view name) {
  static const RegularExpression form(
      R"((?i)(?:^| )(?:pid|tid|ip|port|job_?id)$|\.(?:py|pyx|cc?|cpp|cu|h|java|jl|rs|go|ipynb)$)"
      R"(|^(?:(?:local|global)[_ ])?(?:rank|host|node|worker|thread|process|proc|job|line)$)");
  return form.find(name).has_value();
}

/// "finished in", "done after": a duration follows, and no value of that name.
bool introduces_duration(std::string_view name) {
  static const RegularExpression form(R"((?i)(?:^| )(?:in|after|within|for)$)");
  return form.find(name).has_value();
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
    const bool introduces = lead && introduces_duration(lead->name);
    const auto time = introduces ? TimeName::epoch : lead ? time_name(lead->name) : TimeName::none;
    if (time != TimeName::none) {
      auto rest = text.substr(at);
      if (const auto duration = take_duration(rest)) {
        const double unit_s = duration->has_unit ? 1 : unit_in_brackets_s(before);
        last = text.size() - rest.size();
        at = std::max(at, last - 1);
        found.push_back({.named = {.name = std::string(lead->name), .value = duration->seconds},
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
    auto after = next;
    while (after < text.size() && (is_letter(text[after]) || text[after] == '%')) {
      ++after;
    }
    const bool ends =
        after >= text.size() || std::string_view(":/_").find(text[after]) == std::string_view::npos;
    if (ends && std::isfinite(value) && !introduces && !names_no_metric(lead->name)) {
      found.push_back({.named = {.name = std::string(lead->name), .value = value},
                       .unit = text.substr(next, after - next)});
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

}  // namespace epochcast::progress
