#include "src/forecast/history/name_pattern.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "src/base/core/error.hpp"

namespace epochcast::history {

NamePattern::NamePattern(const std::string& text) : glob_(text) {
  if (text.empty()) {
    throw Error("name pattern: found '', expected a pattern such as 'train-*' or '/^train/'");
  }
  if (text.size() >= 2 && text.front() == '/' && text.back() == '/') {
    expression_.emplace(text.substr(1, text.size() - 2), "name pattern");
  }
}

bool NamePattern::matches(const std::string& name) const {
  return expression_ ? expression_->search(name).has_value()
                     : fnmatch(glob_.c_str(), name.c_str(), 0) == 0;
}

bool matches_any(const std::vector<NamePattern>& patterns, const std::string& name) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
           return pattern.matches(name);
         });
}

}  // namespace epochcast::history
