#include "src/measure/progress/lines/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

bool in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '/' || c == '.' || c == '@' || c == '-';
}

/// The size of the character of a name that ends where `text` ends; 0: there is none.
std::size_t name_character_size(std::string_view text) {
  if (text.empty() || in_name(text.back())) {
    return text.empty() ? 0 : 1;
  }
  std::size_t size = 1;
  while (size < 3 && size < text.size() && (text[text.size() - size] & 0xc0) == 0x80) {
    ++size;
  }
  return letter_size(text.substr(text.size() - size)) == size ? size : 0;
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
    while (const auto size = name_character_size(text.substr(0, at))) {
      at -= size;
    }
    while (at < end && letter_size(text.substr(at)) == 0 && text[at] != '_') {
      ++at;  // not "3" of "epoch 3", nor the dash of "- loss"
    }
    const bool word = at < end && (words == 0 || end < begin);
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

/// The part of a text around a place that no comma, bar or stop parts.
std::string_view clause_at(std::string_view text, std::size_t at) {
  const auto is_end = [&](std::size_t i) {
    return std::string_view(",;|").find(text[i]) != std::string_view::npos ||
           (text[i] == '.' && i + 1 < text.size() && text[i + 1] == ' ');
  };
  auto begin = at;
  while (begin > 0 && !is_end(begin - 1)) {
    --begin;
  }
  auto end = at;
  while (end < text.size() && !is_end(end)) {
    ++end;
  }
  return text.substr(begin, end - begin);
}

/// The unit of time, data or percent that follows a number: "MB", " s", " %", "s/it".
std::string_view measure_after(std::string_view text) {
  static const RegularExpression apart(
      R"(^(?<unit> (?:%|(?:secs?|seconds?|ms|s|mins?|minutes?|hrs?|hours?|[kKMGT]i?B)(?:/[A-Za-z]+(?! *[:=]? *\d))?(?![\w=:/.-]))))");
  std::size_t size = 0;
  while (size < text.size() && (is_letter(text[size]) || text[size] == '%')) {
    ++size;
  }
  const auto match = text.starts_with(' ') ? apart.find(text) : std::nullopt;
  return match ? match->text("unit") : text.substr(0, size);
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

/// "host node-11 loss": what names a place has a value before the name.
std::string_view without_place(std::string_view name) {
  static const RegularExpression place(
      R"((?i)^(?:host|hostname|node|machine|server|worker|commit|run|on) [^ ]+ (?<name>.+)$)");
  const auto match = place.find(name);
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
  constexpr std::string_view wide_colon = "：";
  const bool wide = before.substr(0, words + 1).ends_with(wide_colon);
  const bool marked = wide || before[words] == ':' || before[words] == '=';
  const bool bracket = before.find_first_of("[('\"", words) != std::string_view::npos;
  if (marked) {
    before = before.substr(0, words + 1 - (wide ? wide_colon.size() : 1));
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
  const auto name = without_place(without_verb(name_at_end(before)));
  return name.empty() ? std::nullopt : std::optional(Lead{.name = name, .marked = marked});
}

/// Names of what runs the program, of a place in it and of what it uses: "pid", "run_id", "Rank",
/// "train.py", "max_mem"; and prepositions: "on 4 GPUs".
bool names_no_metric(std::string_view name) {
  static const RegularExpression form(
      R"((?i)(?:^|[ _-])(?:pid|tid|id|ip|port|jobid|on|with|at|by|via|over|per|cpu|gpu|mem|memory|vram|rss)"
      R"(|fds?|threads)$|\.(?:py|pyx|cc?|cpp|cu|h|java|jl|rs|go|ipynb)$)"
      R"(|^(?:(?:local|global)[_ ])?(?:rank|host|node|worker|thread|process|proc|job|line)$)");
  return form.find(name).has_value();
}

/// "finished in", "done after": a duration follows, and no value of that name.
bool introduces_duration(std::string_view name) {
  static const RegularExpression form(R"((?i)(?:^| )(?:in|after|within|for)$)");
  return form.find(name).has_value();
}

/// Whether what follows a number makes it a part of something else: a clock time, a fraction, a
/// date, a list, or digits that are grouped in an unknown way ("1,23,45", "12 345.6").
bool goes_on(std::string_view number, std::string_view after) {
  const auto digit = [&](std::size_t at) { return at < after.size() && is_digit(after[at]); };
  if (!after.empty() && std::string_view(":/_").find(after[0]) != std::string_view::npos) {
    return true;
  }
  if (!std::ranges::all_of(number, is_digit) || !digit(1)) {
    return false;
  }
  const bool group = number.size() <= 3 && digit(2) && digit(3) && !digit(4);
  return after[0] == ',' || after[0] == '\'' || after[0] == '-' || (after[0] == ' ' && group);
}

/// Whether a unit of time follows the number at the front; a single letter apart from it may be the
/// next name: "g 0.5 d 0.4".
bool may_have_time_unit(std::string_view text) {
  static const RegularExpression form(
      R"(^[\d.]+(?:(?=[dhmnsu])| ?(?=[^\x00-\x7f])| (?=(?:s|ms|us|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?)(?![\w=:/]))))");
  const auto next = text.find_first_not_of("0123456789.");
  const bool may = next < text.size() &&
                   ((text[next] & 0x80) != 0 ||
                    std::string_view(" dhmnsu").find(text[next]) != std::string_view::npos);
  return may && form.find(text).has_value();
}

/// Takes a duration off the front, where the name before it or its unit says that it is one.
std::optional<Duration> take_stated(std::string_view& text, std::string_view name) {
  const bool named = introduces_duration(name) || time_name(name) != TimeName::none ||
                     time_name(without_unit(name).name) != TimeName::none;
  auto rest = text;
  const auto duration = named || may_have_time_unit(text) ? take_duration(rest) : std::nullopt;
  if (!duration || !(named || duration->has_unit)) {
    return std::nullopt;
  }
  text = rest;
  return duration;
}

/// Whether a number after this is one of its own: "acc1", "f1-score" and "mAP@0.5" are names.
bool stands_alone(char before) {
  return std::string_view(" \t([{|,;<").find(before) != std::string_view::npos;
}

/// The word that says what the values after it are of, if one ends the text before a name: "train"
/// of "| train: loss 0.4".
std::string_view section_before(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?<![a-z_-])(?<section>train|training|val|valid|validation|test|testing|eval|evaluation|dev))"
      R"( *[])}]? *[-:>({[|] *$)");
  const auto match = text.size() > 3 ? form.find(text) : std::nullopt;
  return match ? match->text("section") : std::string_view{};
}

/// "train: loss 0.4 | val: loss 0.5": a name that stands in several sections has theirs before it.
void name_by_sections(std::vector<Measured>& values) {
  std::map<std::string, std::set<std::string_view>> sections;
  for (const auto& value : values) {
    sections[value.named.name].insert(value.section);
  }
  for (auto& value : values) {
    if (!value.section.empty() && sections[value.named.name].size() > 1) {
      value.named.name = std::string(value.section) + " " + value.named.name;
    }
  }
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
  const bool sentence = bare && is_sentence(text);
  std::vector<Measured> found;
  std::string_view section;
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
    const auto lead = lead_of(before, bare && !(sentence && is_sentence(clause_at(text, at))));
    if (lead) {
      const auto own =
          section_before(before.substr(0, std::size_t(lead->name.data() - before.data())));
      section = own.empty() ? section : own;
    }
    auto rest = text.substr(at);
    if (const auto duration = lead || stands_alone(text[at - 1])
                                  ? take_stated(rest, lead ? lead->name : "")
                                  : std::nullopt) {
      last = text.size() - rest.size();
      at = std::max(at, last - 1);
      if (lead) {
        const double unit_s =
            duration->has_unit ? 1 : unit_in_brackets_s(before) * without_unit(lead->name).unit_s;
        found.push_back({.named = {.name = std::string(lead->name), .value = duration->seconds},
                         .duration_s = duration->seconds * unit_s,
                         .section = section});
      }
      continue;
    }
    double value = 0;
    const auto* first = text.data() + at + (text[at] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
    const auto next = std::size_t(end - text.data());
    if (error != std::errc{} || !lead) {
      if (error == std::errc{} && stands_alone(text[at - 1])) {  // it ends what may be a name
        last = next + measure_after(text.substr(next)).size();
        at = last - 1;
      }
      continue;
    }
    const auto unit = measure_after(text.substr(next));
    const auto after = next + unit.size();
    const bool number = !goes_on(text.substr(at, after - at), text.substr(after));
    if (number && std::isfinite(value) && !introduces_duration(lead->name) &&
        !names_no_metric(lead->name)) {
      const bool whole = text.substr(at, next - at).find_first_of(".eE") == std::string_view::npos;
      found.push_back({.named = {.name = std::string(lead->name), .value = value},
                       .unit = trim(unit),
                       .whole = whole,
                       .section = section});
    }
    last = after;
    at = after - 1;
  }
  if (!section.empty()) {
    name_by_sections(found);
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
