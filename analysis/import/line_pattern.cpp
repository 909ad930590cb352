#include "analysis/import/line_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace epochcast::analysis {
namespace {

/// The pattern without names, and the number of each named group.
std::string take_names(const std::string& pattern, std::map<std::string, std::size_t>& groups) {
  std::string plain;
  std::size_t count = 0;
  bool in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    plain += c;
    if (c == '\\' && at + 1 < pattern.size()) {
      plain += pattern[++at];
    } else if (in_class || c == '[') {
      in_class = c != ']';
    } else if (c == '(') {
      const auto end =
          pattern.compare(at, 3, "(?<") == 0 ? pattern.find('>', at) : std::string::npos;
      const bool captures = pattern.compare(at, 2, "(?") != 0 || end != std::string::npos;
      count += captures ? 1 : 0;
      if (end != std::string::npos) {
        groups[pattern.substr(at + 3, end - at - 3)] = count;
        at = end;
      }
    }
  }
  return plain;
}

std::regex compiled(const std::string& plain, const std::string& pattern) {
  try {
    return std::regex(plain);
  } catch (const std::regex_error& error) {
    throw Error(fmt::format("--pattern: '{}' is no regular expression: {}", pattern, error.what()));
  }
}

}  // namespace

LinePattern::LinePattern(const std::string& pattern, const std::vector<std::string>& known)
    : expression_(compiled(take_names(pattern, groups_), pattern)) {
  for (const auto& [name, number] : groups_) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(fmt::format("--pattern: unknown group '{}'{}", name, did_you_mean(name, known)));
    }
  }
}

std::optional<std::map<std::string, std::string>> LinePattern::match(
    const std::string& line) const {
  std::smatch found;
  if (!std::regex_search(line, found, expression_)) {
    return std::nullopt;
  }
  std::map<std::string, std::string> texts;
  for (const auto& [name, number] : groups_) {
    if (found[number].matched) {
      texts[name] = found[number];
    }
  }
  return texts;
}

}  // namespace epochcast::analysis
