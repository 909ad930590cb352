// Regular expressions with named groups; the only file that includes PCRE2.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast {

/// A Perl-compatible expression: (?<epoch>\d+). A search takes bounded time and memory; a text on
/// which the expression would take more does not match. (PCRE2 10.42 does not find \D* after a
/// character of several bytes: write [^0-9]*.)
class RegularExpression {
 public:
  /// Throws Error "--pattern: '...' is no regular expression: missing closing parenthesis, at
  /// character 7", which begins with `option`.
  explicit RegularExpression(const std::string& pattern, std::string_view option = "--pattern");

  /// The named groups of a match that took part, in the order of the pattern: parts of the text
  /// that was searched.
  class Match {
   public:
    std::optional<std::string_view> operator[](std::string_view name) const;
    /// "" for a group that took no part.
    std::string_view text(std::string_view name) const { return (*this)[name].value_or(""); }
    auto begin() const { return groups_.begin(); }
    auto end() const { return groups_.end(); }

   private:
    friend class RegularExpression;
    std::vector<std::pair<std::string_view, std::string_view>> groups_;
  };

  /// The names of the groups, in alphabetical order.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  /// The named groups of the first match in `text`, which may be any bytes, from the byte `from`
  /// on; valid as long as the expression and the text are. std::nullopt if there is none.
  std::optional<Match> find(std::string_view text, std::size_t from = 0) const;
  /// What stands in the place of a group of a match; std::nullopt leaves it as it is.
  using Replacement = std::function<std::optional<std::string>(const Match&)>;
  /// `text` with `by` instead of the group `name` of each match. The search goes on after a group
  /// that was replaced, and at one that was not; where its limits are reached, the text ends.
  std::string replace(std::string_view text, std::string_view name, const Replacement& by) const;

 private:
  struct Compiled;

  int match(std::string_view text, std::size_t from) const;
  Match last_match(std::string_view text) const;

  std::shared_ptr<const Compiled> compiled_;
  std::vector<std::string> names_;
};

}  // namespace epochcast
