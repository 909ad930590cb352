#include "src/history/name_pattern.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "src/core/error.hpp"

namespace epochcast::history {

NamePattern::NamePattern(const std::string& text) : glob_(text) {
  if (text.empty()) {
    throw Error("name pattern: found '', expected a pattern such as 'train-*' or '/^train/'");
  }
  if (text.size() < 2 || text.front() != '/' || text.back() != '/') {
    return;
  }
  try {
    expression_.emplace(text.substr(1, text.size() - 2));
  } catch (const std::regex_error& error) {
    throw Error(fmt::format("name pattern: found '{}', expected a regular expression: {}", text,
                            error.what()));
  }
}

bool NamePattern::matches(const std::string& name) const {
  if (!expression_) {
    return fnmatch(glob_.c_str(), name.c_str(), 0) == 0;
  }
  constexpr std::size_t longest = 1024;  // std::regex needs stack for each character
  return std::regex_search(name.substr(0, longest), *expression_);
}

bool matches_any(const std::vector<NamePattern>& patterns, const std::string& name) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
           return pattern.matches(name);
         });
}

}  // namespace epochcast::history
