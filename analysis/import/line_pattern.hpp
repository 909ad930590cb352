// A regular expression whose groups have names: (?<epoch>\d+). The standard library's have only
// numbers.
#pragma once

#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace epochcast::analysis {

class LinePattern {
 public:
  /// ECMAScript's grammar and named groups. Throws Error for what is none, and for a name that is
  /// not in `known`.
  LinePattern(const std::string& pattern, const std::vector<std::string>& known);

  bool has(const std::string& name) const { return groups_.contains(name); }
  /// The groups of the first match in `line`; std::nullopt if there is none.
  /// Groups that took no part are left out.
  std::optional<std::map<std::string, std::string>> match(const std::string& line) const;

 private:
  std::map<std::string, std::size_t> groups_;
  std::regex expression_;
};

}  // namespace epochcast::analysis
