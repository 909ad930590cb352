// Which jobs are the same script: patterns of job names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/core/regular_expression.hpp"

namespace epochcast::history {

/// A shell pattern for the whole name ("train-*", "resnet[0-9]"), or a regular expression between
/// slashes that a part of the name matches ("/^train-\d+$/"), within the limits of
/// RegularExpression.
class NamePattern {
 public:
  /// Throws Error "name pattern: '(' is no regular expression: ...".
  explicit NamePattern(const std::string& text);
  bool matches(const std::string& name) const;

 private:
  std::string glob_;
  std::optional<RegularExpression> expression_;
};

/// Whether one of the patterns matches; true if there is none.
bool matches_any(const std::vector<NamePattern>& patterns, const std::string& name);

}  // namespace epochcast::history
