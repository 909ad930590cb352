// YAML files as plain values with file and line; the only file that includes yaml-cpp is yaml.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast::run::yaml {

/// One node of a document. Scalars remain text; the code that knows the type converts them.
struct Node {
  enum class Kind { null, scalar, list, map };
  Node();  // not here: Clang would need the complete pair of `map`
  Kind kind = Kind::null;
  std::string scalar;
  std::vector<Node> list;
  std::vector<std::pair<std::string, Node>> map;  ///< In file order; keys are unique.
  std::string file;
  int line = 0;  ///< From 1.

  /// The value of `key`, or nullptr.
  const Node* find(std::string_view key) const;
  /// The text of a scalar. Throws Error "FILE:LINE: found a list, expected a single value".
  const std::string& text() const;
  /// The same. Throws Error if it has several lines.
  const std::string& one_line() const;
  /// The items of a list; a single value is a list of one.
  std::vector<Node> items() const;
  /// The same, each in one line.
  std::vector<std::string> lines() const;
  /// Throws Error unless this is a map.
  const Node& as_map(std::string_view what) const;
  /// The value of `key` of a map; added, as a null, if it is missing.
  Node& place(const std::string& key);
  /// An Error at this node.
  Error error(const std::string& message) const { return Error(file, line, message); }
};

/// A single value that is in no file: `origin` ("--set batch") is what errors name.
Node scalar_node(const std::string& text, const std::string& origin);

/// The node in one line of YAML, every scalar in quotation marks.
std::string flow_text(const Node& node);

/// Reads a file that contains one document. Throws Error if the file cannot be read, is not YAML
/// (with the line), has a duplicate key, or is nested or expanded by aliases beyond the limits.
Node parse_file(const std::string& path);
/// The same for text; errors name the file `name`.
Node parse_text(const std::string& text, const std::string& name);

}  // namespace epochcast::run::yaml
