#include "src/measure/progress/lines/stated_values.hpp"

#include <algorithm>
#include <cctype>

#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/record/run/stated_names.hpp"

namespace epochcast::progress {
namespace {

/// Longer than any statement: Megatron fills its lines to 50 characters.
constexpr std::size_t longest_statement = 160;

/// What is looked for: its value is a number, or of a strategy a word.
const std::map<std::string, bool, std::less<>>& known_names() {
  static const auto names = [] {
    std::map<std::string, bool, std::less<>> all;
    for (const auto& row : run::stated_names) {
      if (row.printed) {
        all.emplace(row.name, true);
      }
      for (const auto& strategy : split(row.strategy, '|')) {
        if (!strategy.empty()) {
          all.emplace(strategy, false);
        }
      }
    }
    return all;
  }();
  return names;
}

const Hints& hints() {
  static const auto all = [] {
    std::vector<std::string> texts;
    for (const auto& [name, is_number] : known_names()) {
      auto dashed = name;
      std::ranges::replace(dashed, '_', '-');
      auto capitals = name;
      std::ranges::transform(capitals, capitals.begin(),
                             [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      texts.insert(texts.end(), {name, dashed, capitals});
    }
    return Hints(texts);
  }();
  return all;
}

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

/// "--eval-steps" and "EVAL_STEPS" as "eval_steps".
std::string plain_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  auto name = to_lower(std::string(word));
  std::ranges::replace(name, '-', '_');
  return name;
}

/// The text between the separators after a name and the end of the value; empty if the value may go
/// on after `text`, or ends as no value does: "10%", "3/10".
std::string_view value_at_front(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\"'=:.");
  if (begin == 0 || begin == std::string_view::npos) {
    return {};
  }
  const auto end = text.find_first_of(" \t\r\n\"',;)}]#\033", begin);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin);
}

}  // namespace

void StatedValues::read(std::string_view bytes) {
  if (!tail_.empty()) {
    scan(tail_ + std::string(bytes.substr(0, longest_statement)));
  }
  scan(bytes);
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), longest_statement));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), longest_statement));
}

void StatedValues::scan(std::string_view text) {
  for (auto at = hints().find(text, 0); at != std::string_view::npos;) {
    auto begin = at;
    while (begin > 0 && is_part_of_name(text[begin - 1])) {
      --begin;
    }
    while (at < text.size() && is_part_of_name(text[at])) {
      ++at;
    }
    const auto known = known_names().find(plain_name(text.substr(begin, at - begin)));
    const auto value = value_at_front(text.substr(at));
    if (known != known_names().end() && !value.empty() &&
        (known->second ? parse_double(std::string(value)).value_or(-1) >= 0
                       : std::isalpha(static_cast<unsigned char>(value.front())) != 0)) {
      found_[known->first] = value;
    }
    at = hints().find(text, at);
  }
}

std::vector<record::ParameterRow> StatedValues::take() {
  std::vector<record::ParameterRow> rows;
  for (const auto& [name, value] : found_) {
    if (taken_.insert(name).second) {
      rows.push_back({.name = name,
                      .value = value,
                      .type = parse_integer(value)  ? "integer"
                              : parse_double(value) ? "number"
                                                    : "text",
                      .unit = "1"});
    }
  }
  found_.clear();
  return rows;
}

std::vector<record::ParameterRow> stated_values(std::string_view text) {
  StatedValues values;
  values.read(text);
  values.finish();
  return values.take();
}

}  // namespace epochcast::progress
