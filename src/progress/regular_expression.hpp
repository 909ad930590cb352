// The user's regular expression with named groups; the only file that includes PCRE2.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::progress {

/// A Perl-compatible expression: (?<epoch>\d+). A search takes bounded time and memory; a text on
/// which the expression would take more does not match.
class RegularExpression {
 public:
  using Groups = std::map<std::string, std::string, std::less<>>;

  /// Throws Error "--pattern: '...' is no regular expression: missing closing parenthesis, at
  /// character 7".
  explicit RegularExpression(const std::string& pattern);

  /// The names of the groups, in alphabetical order.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  /// The named groups of the first match in `text`, which may be any bytes; std::nullopt if there
  /// is none. Groups that took no part are left out.
  std::optional<Groups> search(std::string_view text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
  std::vector<std::string> names_;
};

}  // namespace epochcast::progress
