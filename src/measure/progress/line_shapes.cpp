#include "src/measure/progress/line_shapes.hpp"

#include <algorithm>
#include <set>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_shapes = 256;
constexpr std::size_t most_numbers = 16;
constexpr std::size_t longest_shape = 256;
constexpr std::int64_t least_lines = 3;
constexpr std::int64_t shown_lines = 3;
constexpr const char* any_number = R"([-+.\deE]+)";

struct Number {
  std::size_t begin = 0;
  std::size_t size = 0;
  double value = 0;
  bool whole = false;
};

/// The numbers that begin at a word's begin: not the 5 of "acc5".
std::vector<Number> numbers_in(std::string_view text) {
  static const RegularExpression form(
      R"((?<![A-Za-z_])(?<number>\d(?:\d|\.(?=\d)|[eE](?=[-+\d])|(?<=[eE])[-+])*))");
  std::vector<Number> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto match = form.find(text, at);
    if (!match) {
      break;
    }
    const auto number = match->text("number");
    const auto begin = static_cast<std::size_t>(number.data() - text.data());
    if (const auto value = parse_double(number)) {
      found.push_back({.begin = begin,
                       .size = number.size(),
                       .value = *value,
                       .whole = std::ranges::all_of(number, is_digit)});
    }
    at = begin + number.size() + 1;
  }
  return found;
}

std::string name_before(std::string_view text);

/// Whether the number may count something: it is no part of a clock time, a date, a percent, a
/// duration or a number with thousands ("107,200").
bool may_count(std::string_view text, const Number& number) {
  static const RegularExpression before_others(R"(\d[:,-]$)");
  static const RegularExpression after_others(R"(^(?:[:,]\d|[sm]| *(?:%|sec|words/|samples/)))");
  const auto before = text.substr(0, number.begin);
  const auto after = text.substr(number.begin + number.size);
  const bool year = number.size == 4 && after.size() > 1 && after[0] == '-' && is_digit(after[1]);
  const auto low = to_lower(name_before(before));
  return number.whole && !year && !before_others.find(before) && !after_others.find(after) &&
         time_name(low) == TimeName::none && low != "wall" && low != "eta";
}

/// Before a number they may go: "[  9]", "[100]".
std::string_view without_last_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string numbered_shape(std::string_view text, const std::vector<Number>& numbers) {
  std::string shape;
  std::size_t at = 0;
  for (const auto& number : numbers) {
    shape += without_last_blanks(text.substr(at, number.begin - at));
    shape += '#';
    at = number.begin + number.size;
  }
  shape += text.substr(at);
  shape.erase(
      std::unique(shape.begin(), shape.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
      shape.end());
  return shape;
}

/// Without a blank, at which a message may be broken, and without a tab, at which a shell completes
/// what is pasted.
std::string escaped(std::string_view text) {
  constexpr std::string_view blanks = R"(\s+)";
  std::string pattern;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      pattern += pattern.ends_with(blanks) ? "" : blanks;
    } else if (c >= 0 && c < ' ') {
      pattern += '.';
    } else {
      pattern += std::string_view("\\^$.|?*+()[]{}").find(c) == std::string_view::npos ? "" : "\\";
      pattern += c;
    }
  }
  return pattern;
}

/// The word before a number, as the name of a group; empty if there is none.
std::string name_before(std::string_view text) {
  auto end = text.size();
  while (end > 0 && !is_letter(text[end - 1]) && !is_digit(text[end - 1])) {
    --end;
  }
  auto begin = end;
  while (begin > 0 &&
         (is_letter(text[begin - 1]) || is_digit(text[begin - 1]) || text[begin - 1] == '_')) {
    --begin;
  }
  const auto word = text.substr(begin, std::min<std::size_t>(end - begin, 32));
  return word.empty() || is_digit(word.front()) ? "" : std::string(word);
}

}  // namespace

void LineShapes::read(std::string_view line) {
  line = trim(line);
  const auto numbers = numbers_in(line);
  if (numbers.empty() || numbers.size() > most_numbers) {
    return;
  }
  ++lines_;
  const auto key = numbered_shape(line, numbers);
  auto found = shapes_.find(key);
  if (found == shapes_.end()) {
    if (shapes_.size() >= most_shapes || key.size() > longest_shape) {
      return;
    }
    found = shapes_.emplace(key, Shape{.example = std::string(line)}).first;
    found->second.first_at = lines_;
    found->second.grows.assign(numbers.size(), true);
    found->second.constant.assign(numbers.size(), true);
    found->second.steps.assign(numbers.size(), 0);
  }
  auto& shape = found->second;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool first = shape.lines == 0;
    const double step = first ? 0 : numbers[i].value - shape.last[i];
    // By the same each time, but for the first: 1, 10, 20, 30.
    const bool even = first || shape.lines < 3 || step == shape.steps[i] || step == 1;
    shape.grows[i] = shape.grows[i] && may_count(line, numbers[i]) && (first || step > 0) && even;
    shape.steps[i] = step;
    shape.constant[i] = shape.constant[i] && (first || numbers[i].value == shape.last[i]);
  }
  if (shape.lines < shown_lines) {
    std::ranges::transform(numbers, std::back_inserter(shape.shown), &Number::value);
  }
  shape.last.clear();
  std::ranges::transform(numbers, std::back_inserter(shape.last), &Number::value);
  ++shape.lines;
  shape.last_at = lines_;
}

bool LineShapes::begins_what_follows(const Shape& shape) const {
  bool follows = false;
  for (const auto& [key, other] : shapes_) {
    if (&other == &shape || other.lines < least_lines) {
      continue;
    }
    if (other.first_at < shape.first_at) {
      return false;
    }
    follows = follows || other.last_at > shape.last_at;
  }
  return follows;
}

/// "10, 20, 30"
std::string LineShapes::first_values(const Shape& shape, std::size_t index) {
  std::vector<std::string> values;
  for (auto at = index; at < shape.shown.size(); at += shape.grows.size()) {
    values.push_back(format_shortest(shape.shown[at]));
  }
  return join(values, ", ");
}

LineShapes::Proposal LineShapes::proposal() const {
  std::string shown;
  const auto pattern = pattern_of(shown);
  return {.pattern = pattern, .values = shown};
}

std::string LineShapes::pattern_of(std::string& shown) const {
  const Shape* best = nullptr;
  for (const auto& [key, shape] : shapes_) {
    const bool counts = std::ranges::find(shape.grows, true) != shape.grows.end();
    if (counts && shape.lines >= least_lines && (best == nullptr || shape.lines > best->lines)) {
      best = &shape;
    }
  }
  if (best == nullptr) {
    return "";
  }
  const std::string_view text = best->example;
  std::string pattern;
  std::size_t at = 0;
  std::size_t index = 0;
  std::string counter;  // epoch or step
  std::set<std::string> used;
  for (const auto& number : numbers_in(text)) {
    const auto before = text.substr(at, number.begin - at);
    const auto words = without_last_blanks(before);
    pattern += escaped(words) + (words == before ? "" : R"(\s*)");
    auto name = name_before(before);
    if (best->grows[index] && counter.empty()) {
      counter = to_lower(name).find("epoch") != std::string::npos ? "epoch" : "step";
      name = counter == "epoch" && begins_what_follows(*best) ? "epoch_begins" : counter;
    } else if (index > 0 && best->constant[index] && !counter.empty() &&
               (trim(before) == "/" || trim(before) == "of")) {
      name = counter + "s";
    } else if (to_lower(name) == "epoch" && number.whole && counter != "epoch" &&
               !used.contains("epoch")) {
      name = "epoch";
    } else if (name == "epoch" || name == "step" || best->constant[index]) {
      name.clear();  // what never changes is no metric: the number of a source line
    }
    if (name.empty() || !used.insert(name).second) {
      pattern += any_number;
    } else {
      pattern += "(?<" + name + ">" +
                 (name == "epoch" || (name.starts_with(counter) && !counter.empty()) ? R"(\d+)"
                                                                                     : any_number) +
                 ")";
      if (name == "epoch" || name == "step" || name == "epoch_begins") {
        shown += (shown.empty() ? "" : "; ") + name + " = " + first_values(*best, index);
      }
    }
    at = number.begin + number.size;
    ++index;
  }
  return RegularExpression(pattern).find(text) ? pattern : "";
}

}  // namespace epochcast::progress
