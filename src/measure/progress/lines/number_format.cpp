#include "src/measure/progress/lines/number_format.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/line.hpp"

namespace epochcast::progress {
namespace {

/// Between thousands, and nowhere else in a number: apostrophes, narrow and hard spaces, "_".
constexpr std::array<std::string_view, 6> marks{
    "'", "\xe2\x80\x99", "\xe2\x80\xaf", "\xe2\x80\x89", "\xc2\xa0", "_"};

/// The size of a separator at the front that a digit follows; 0: there is none.
std::size_t separator_size(std::string_view text) {
  std::size_t size = text.starts_with(',') || text.starts_with('.') ? 1 : 0;
  for (const auto mark : marks) {
    size = text.starts_with(mark) ? mark.size() : size;
  }
  return size > 0 && size < text.size() && is_digit(text[size]) ? size : 0;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Digits with separators between them.
struct WrittenNumber {
  std::size_t begin = 0, end = 0;
  std::vector<std::string_view> groups;
  std::string separators;  ///< One byte each: ",", "." or "'" for a mark.
};

WrittenNumber number_at(std::string_view line, std::size_t begin) {
  WrittenNumber found{.begin = begin, .end = begin, .groups = {}, .separators = {}};
  for (;;) {
    const auto from = found.end;
    while (found.end < line.size() && is_digit(line[found.end])) {
      ++found.end;
    }
    found.groups.push_back(line.substr(from, found.end - from));
    const auto size = separator_size(line.substr(found.end));
    if (size == 0) {
      return found;
    }
    const char c = line[found.end];
    found.separators += c == ',' || c == '.' ? c : '\'';
    found.end += size;
  }
}

/// Whether the first `count` groups are those of thousands: "1", "234", "567"; or as India groups
/// digits, "12", "34", "567"; or, of three groups and more, by ten thousands, "1", "2345", "6789".
bool are_thousands(const WrittenNumber& number, std::size_t count) {
  const auto& groups = number.groups;
  const auto all = [&](std::size_t end, std::size_t size) {
    return std::all_of(groups.begin() + 1, groups.begin() + std::ptrdiff_t(end),
                       [size](auto group) { return group.size() == size; });
  };
  const auto first = groups[0].size();
  const bool lakhs = count > 2 && first <= 2 && all(count - 1, 2) && groups[count - 1].size() == 3;
  return first > 0 && groups[0][0] != '0' &&
         ((first <= 3 && all(count, 3)) || lakhs || (count > 2 && first <= 3 && all(count, 4)));
}

enum class Form {
  other,      ///< A whole number, a list, a version, a date.
  point,      ///< "12.5"
  dotted,     ///< "1.234": as a rule a number with decimals, but dots may part thousands.
  comma,      ///< "12,5", "0,912", "1.234,5": decimals after the comma.
  open,       ///< "1,234"
  thousands,  ///< "1,234.5", "1,234,567"
};

/// What the separators, without marks, make of a number.
Form form_of(const WrittenNumber& number) {
  const auto& separators = number.separators;
  const auto count = separators.size();
  const char last = separators.back();
  const bool all_same = separators.find_first_not_of(last) == std::string::npos;
  if (count == 1) {
    const bool round = are_thousands(number, 2);
    const bool padded = number.groups[0].size() > 1 && number.groups[0][0] == '0';
    return padded        ? Form::other
           : last == '.' ? (round ? Form::dotted : Form::point)
                         : (round ? Form::open : Form::comma);
  }
  if (all_same) {
    return last == ',' && are_thousands(number, count + 1) ? Form::thousands : Form::other;
  }
  const bool one_after_others = separators.find_first_not_of(separators[0]) == count - 1;
  return !one_after_others || !are_thousands(number, count) ? Form::other
         : last == '.'                                      ? Form::thousands
                                                            : Form::comma;
}

/// Joins what marks part; a number whose marks part no thousands is emptied.
WrittenNumber without_marks(const WrittenNumber& number, std::string& joined) {
  const auto count = std::size_t(std::ranges::count(number.separators, '\''));
  if (count == 0) {
    return number;
  }
  WrittenNumber found{.begin = number.begin, .end = number.end, .groups = {}, .separators = {}};
  if (number.separators.find_first_not_of('\'') < count || !are_thousands(number, count + 1)) {
    return found;
  }
  for (std::size_t i = 0; i <= count; ++i) {
    joined += number.groups[i];
  }
  found.groups = {number.groups.begin() + std::ptrdiff_t(count), number.groups.end()};
  found.groups[0] = joined;
  found.separators = number.separators.substr(count);
  return found;
}

/// Whether words beside a number say that it counts something, and is whole.
bool counts(std::string_view words) {
  static const RegularExpression form(
      R"((?i)^(?!.*(?:time|took|/ ?s|per (?:s|m|h)|sec|loss|rate|speed|mean|average))(?:.*(?<![a-z]))?)"
      R"((?:steps?|iter(?:ation)?s?|batch(?:es)?|samples?|examples?|images?|tokens?|updates?)"
      R"(|param(?:eter)?s?|records?|words|sequences|files|rows|lines)(?![a-z]))");
  return form.find(words).has_value();
}

bool is_count(std::string_view line, const WrittenNumber& number) {
  const auto before = line.substr(0, number.begin);
  const auto after = line.substr(number.end);
  if (before.ends_with('/') || (after.size() > 1 && after[0] == '/' && is_digit(after[1]))) {
    return true;
  }
  const auto label = before.substr(before.find_last_of("0123456789") + 1);
  const auto next = after.substr(std::min(after.find_first_not_of(' '), after.size()));
  const auto word = next.substr(0, next.find_first_of(" ,.;:|)]=0123456789"));
  return counts(label) || counts(word);
}

/// "10,138 (10,138)": a number, and its mean in brackets.
bool is_mean(std::string_view before) {
  static const RegularExpression form(R"((?<![\d,.])\d+[.,]\d+ +\($)");
  return before.ends_with('(') &&
         form.find(before.substr(before.size() - std::min<std::size_t>(before.size(), 32)));
}

/// "(3,224)", "[0,1]", "gpus 0,1", "0,4000,-20": a list, whatever its numbers are.
bool is_listed(std::string_view line, const WrittenNumber& number) {
  const auto before = line.substr(0, number.begin);
  const auto after = line.substr(number.end);
  const bool opened = before.ends_with('(') || before.ends_with('[') || before.ends_with('{');
  const auto next = after.find_first_not_of(' ', 1);
  const bool goes_on = after.starts_with(',') && next < after.size() && is_digit(after[next]);
  const bool closed =
      goes_on || after.starts_with(')') || after.starts_with(']') || after.starts_with('}');
  const auto low =
      to_lower(before.substr(before.size() - std::min<std::size_t>(before.size(), 16)));
  const bool negative_next = after.size() > 2 && after.starts_with(",-") && is_digit(after[2]);
  return (opened && closed && !is_mean(before)) || negative_next ||
         low.find("gpu") != std::string::npos || low.find("device") != std::string::npos;
}

/// "22:01:09,123", "24.11. 22:01", "[   12.345] ": part of a time or of a date.
bool is_of_time(std::string_view line, const WrittenNumber& number) {
  const auto before = line.substr(0, number.begin);
  auto after = line.substr(number.end);
  if (before.size() > 1 && before.back() == ':' && is_digit(before[before.size() - 2])) {
    return true;
  }
  if (number.separators.find_first_not_of('.') != std::string::npos) {
    return false;
  }
  if (before.find_first_not_of(" [(") == std::string_view::npos) {
    return true;
  }
  after.remove_prefix(std::min(after.find_first_not_of(". "), after.size()));
  const auto minutes = after.find(':');
  return number.groups[0].size() <= 2 && number.groups[1].size() <= 2 && minutes <= 2 &&
         minutes > 0 && is_digit(after[0]) && after.size() > minutes + 2 &&
         is_digit(after[minutes + 1]) && is_digit(after[minutes + 2]);
}

/// Calls `found(number, form)` for each number of the line that has separators.
template <class Found>
void for_each_number(std::string_view line, Found found) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!is_digit(line[at])) {
      continue;
    }
    const char before = at > 0 ? line[at - 1] : ' ';
    const auto whole = std::min(line.find_first_not_of("0123456789", at), line.size());
    if (separator_size(line.substr(whole)) == 0) {
      at = whole;
      continue;
    }
    const auto number = number_at(line, at);
    at = number.end;
    const bool exponent = (before == '-' || before == '+') && number.begin > 1 &&
                          (line[number.begin - 2] == 'e' || line[number.begin - 2] == 'E');
    if (is_word(before) || before == '.' || before == ',' || exponent || is_of_time(line, number)) {
      continue;
    }
    std::string joined;
    const auto plain = without_marks(number, joined);
    if (plain.groups.empty() || is_listed(line, number)) {
      continue;
    }
    auto form = plain.separators.empty() ? Form::other : form_of(plain);
    form = form == Form::open && is_count(line, number) ? Form::thousands : form;
    found(plain, form, !joined.empty());
  }
}

/// Whether a separator other than a point stands between digits of the text, which may have lines.
/// Each log is asked: the search is by single bytes.
bool may_change(std::string_view text) {
  return std::ranges::any_of(std::string_view(",'_\xe2\xc2"), [&](char separator) {
    for (auto at = text.find(separator); at != std::string_view::npos;
         at = text.find(separator, at + 1)) {
      const bool of_clock =  // "22:01:09,123"
          at > 2 && text[at - 3] == ':' && is_digit(text[at - 2]) && separator == ',';
      if (at > 0 && is_digit(text[at - 1]) && !of_clock && separator_size(text.substr(at)) > 0) {
        return true;
      }
    }
    return false;
  });
}

std::string joined(const std::vector<std::string_view>& groups, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += groups[i];
  }
  return text;
}

/// With the last separator as the point of the decimals.
std::string with_decimals(const WrittenNumber& number) {
  const auto count = number.separators.size();
  return joined(number.groups, count) + "." + std::string(number.groups.back());
}

std::string plain(const WrittenNumber& number, Form form, NumberFormat format) {
  const bool commas = format == NumberFormat::comma_dots || format == NumberFormat::comma;
  const auto whole = joined(number.groups, number.groups.size());
  switch (form) {
    case Form::open:
      return commas ? with_decimals(number) : format == NumberFormat::point ? whole : "nan";
    case Form::comma:
      return commas ? with_decimals(number) : "nan";
    case Form::thousands:
      return number.separators.back() == '.' ? with_decimals(number) : whole;
    case Form::dotted:
      return format == NumberFormat::comma_dots ? whole
             : format == NumberFormat::comma    ? "nan"
                                                : with_decimals(number);
    case Form::point:
      return with_decimals(number);
    case Form::other:
      break;
  }
  return whole;
}

}  // namespace

void NumberEvidence::read(std::string_view line) {
  bool point = false, dotted = false, comma = false, thousands = false;
  for_each_number(line, [&](const WrittenNumber& number, Form form, bool) {
    point = point || form == Form::point;
    dotted = dotted || form == Form::dotted;
    comma = comma || form == Form::comma;
    thousands = thousands || form == Form::thousands;
    dots_ = dots_ || (form == Form::comma && number.separators.size() > 1);
    const bool in_epoch = line.find("poch") != std::string_view::npos;
    if (form == Form::open && (open_number_.empty() || (in_epoch && !open_in_epoch_))) {
      open_number_ = line.substr(number.begin, number.end - number.begin);
      open_in_epoch_ = in_epoch;
    }
    beside_ = beside_ || (point && form == Form::open);
  });
  points_ += point ? 1 : 0;
  dotted_ += dotted && !comma ? 1 : 0;
  commas_ += comma ? 1 : 0;
  thousands_ += thousands ? 1 : 0;
}

NumberFormat NumberEvidence::format() const {
  // A version or two ("cuda 12.2") are no numbers of the log.
  const auto points = (points_ >= 3 || beside_ ? points_ : 0) + (dots_ ? 0 : dotted_) + thousands_;
  return commas_ < points   ? NumberFormat::point
         : commas_ > points ? (dots_ ? NumberFormat::comma_dots : NumberFormat::comma)
                            : NumberFormat::undecided;
}

NumberFormat number_format_of(std::string_view text, NumberEvidence& evidence) {
  if (!may_change(text)) {
    return NumberFormat::plain;
  }
  while (!text.empty()) {
    evidence.read(take_line(text));
  }
  return evidence.format();
}

std::optional<std::string> plain_numbers(std::string_view line, NumberFormat format) {
  const bool dots = format == NumberFormat::comma_dots || format == NumberFormat::comma;
  if (format == NumberFormat::plain || (!dots && !may_change(line))) {
    return std::nullopt;
  }
  std::string text;
  std::size_t last = 0;
  for_each_number(line, [&](const WrittenNumber& number, Form form, bool marked) {
    if (form != Form::other || marked) {
      text += line.substr(last, number.begin - last);
      text += plain(number, form, format);
      last = number.end;
    }
  });
  text += line.substr(last);
  return text == line ? std::nullopt : std::optional(std::move(text));
}

std::string two_readings(const std::string& number) {
  auto whole = number, decimal = number;
  std::erase(whole, ',');
  std::ranges::replace(decimal, ',', '.');
  return "a number such as '" + number + "' may be " + whole + " or " + decimal +
         ": nothing in the output decides, so it is not taken";
}

}  // namespace epochcast::progress
