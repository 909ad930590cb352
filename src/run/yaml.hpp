// YAML files as plain values that remember where they stood; the only door to yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/error.hpp"

namespace epochcast::run::yaml {

/// One node of a document. Scalars stay text: what they mean is decided where the type is known.
struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string scalar;
  std::vector<Node> list;
  std::vector<std::pair<std::string, Node>> map;  ///< In the order of the file; keys are unique.
  std::string file;
  int line = 0;  ///< From 1.

  /// The value of `key`, or nullptr.
  const Node* find(std::string_view key) const;
  /// The text of a scalar. Throws Error "FILE:LINE: found a list, expected a single value".
  const std::string& text() const;
  /// The items of a list; a single value is a list of one.
  std::vector<Node> items() const;
  /// Throws Error unless this is a map.
  const Node& as_map(std::string_view what) const;
  /// An Error at this node.
  Error error(const std::string& message) const { return Error(file, line, message); }
};

/// Reads a file of one document. Throws Error: cannot be read, is no YAML (with the line), has a
/// key twice, is nested or multiplied by aliases beyond reason.
Node parse_file(const std::string& path);
/// The same from text; `name` stands for the file in errors.
Node parse_text(const std::string& text, const std::string& name);

}  // namespace epochcast::run::yaml
