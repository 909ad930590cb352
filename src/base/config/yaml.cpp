#include "src/base/config/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "src/base/core/files.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run::yaml {
namespace {

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return "a single value";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a group of keys";
  }
  return "nothing";
}

/// Converts nodes of yaml-cpp to Node. Every alias is expanded, so a few lines can become millions
/// of values, or a value can contain itself: both are errors.
class Converter {
 public:
  explicit Converter(const std::string& file) : file_(file) {}

  Node convert(const YAML::Node& from, int depth) {
    Node to;
    to.file = file_;
    to.line = from.Mark().line + 1;
    if (depth > deepest) {
      throw Error(file_, to.line,
                  fmt::format("found a document nested more than {} levels deep", deepest));
    }
    if (++values_ > most) {
      throw Error(file_, to.line,
                  fmt::format("found more than {} values after aliases are expanded", most));
    }
    if (from.IsScalar()) {
      to.kind = Node::Kind::scalar;
      to.scalar = from.Scalar();
    } else if (from.IsSequence()) {
      to.kind = Node::Kind::list;
      for (const auto& item : from) {
        to.list.push_back(convert(item, depth + 1));
      }
    } else if (from.IsMap()) {
      convert_map(from, depth, to);
    }
    return to;
  }

 private:
  static constexpr int deepest = 100;
  static constexpr int most = 100000;

  void convert_map(const YAML::Node& from, int depth, Node& to) {
    to.kind = Node::Kind::map;
    std::set<std::string> keys;  // Node::find would take quadratic time for a large map
    for (const auto& entry : from) {
      const int line = entry.first.Mark().line + 1;
      if (!entry.first.IsScalar()) {
        throw Error(file_, line, "found a key that is not a single word");
      }
      const auto& key = entry.first.Scalar();
      if (!keys.insert(key).second) {
        throw Error(file_, line, fmt::format("found key '{}' a second time", key));
      }
      to.map.emplace_back(key, convert(entry.second, depth + 1));
      if (to.map.back().second.kind == Node::Kind::null) {
        to.map.back().second.line = line;  // yaml-cpp reports a different line for an empty value
      }
    }
  }

  const std::string& file_;
  int values_ = 0;
};

/// The line of a "---" after the first value; 0 if there is none. YAML::Load silently ignores what
/// follows, and YAML::LoadAll of yaml-cpp 0.7 does not return for some malformed texts.
int line_of_second_document(std::string_view text) {
  bool has_content = false;
  int number = 0;
  for (const auto& line : split(text, '\n')) {
    ++number;
    const bool is_mark = line == "---" || line.starts_with("--- ") || line.starts_with("---\r");
    if (is_mark && has_content) {
      return number;
    }
    const auto content = trim(line);
    has_content =
        has_content || (!content.empty() && !content.starts_with('#') && !content.starts_with('%'));
  }
  return 0;
}

}  // namespace

Node::Node() = default;

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : map) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

Node& Node::place(const std::string& key) {
  const auto found =
      std::find_if(map.begin(), map.end(), [&](const auto& entry) { return entry.first == key; });
  return found == map.end() ? map.emplace_back(key, Node{}).second : found->second;
}

const std::string& Node::text() const {
  if (kind != Kind::scalar) {
    throw error(fmt::format("found {}, expected a single value", kind_name(kind)));
  }
  return scalar;
}

const std::string& Node::one_line() const {
  if (text().find_first_of("\n\r") != std::string::npos) {
    throw error(fmt::format("found several lines, expected one: '{}'", scalar));
  }
  return scalar;
}

std::vector<Node> Node::items() const {
  if (kind == Kind::map || kind == Kind::null) {
    throw error(fmt::format("found {}, expected a list", kind_name(kind)));
  }
  return kind == Kind::list ? list : std::vector<Node>{*this};
}

std::vector<std::string> Node::lines() const {
  return mapped(items(), [](const auto& item) { return item.one_line(); });
}

const Node& Node::as_map(std::string_view what) const {
  if (kind != Kind::map) {
    throw error(fmt::format("found {}, expected {}", kind_name(kind), what));
  }
  return *this;
}

Node parse_text(const std::string& text, const std::string& name) {
  try {
    if (const int line = line_of_second_document(text)) {
      throw Error(name, line, "found a second document, expected one");
    }
    auto node = Converter(name).convert(YAML::Load(text), 0);
    node.line = std::max(node.line, 1);  // an empty file has no mark
    return node;
  } catch (const YAML::Exception& error) {
    throw Error(name, std::max(error.mark.line, 0) + 1,
                "is not YAML: " + error.msg.substr(0, error.msg.find('\n')));
  }
}

Node scalar_node(const std::string& text, const std::string& origin) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.scalar = text;
  node.file = origin;
  node.line = 1;
  return node;
}

std::string flow_text(const Node& node) {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      result += c == '"' || c == '\\' ? "\\" : "";
      result += c;
    }
    return result + '"';
  };
  std::vector<std::string> parts;
  switch (node.kind) {
    case Node::Kind::null:
      return "~";
    case Node::Kind::scalar:
      return quoted(node.scalar);
    case Node::Kind::list:
      for (const auto& item : node.list) {
        parts.push_back(flow_text(item));
      }
      return fmt::format("[{}]", join(parts, ", "));
    case Node::Kind::map:
      for (const auto& [key, value] : node.map) {
        parts.push_back(fmt::format("{}: {}", quoted(key), flow_text(value)));
      }
      return fmt::format("{{{}}}", join(parts, ", "));
  }
  throw std::logic_error("a node of no kind");
}

Node parse_file(const std::string& path) {
  return parse_text(read_file(path), path);
}

}  // namespace epochcast::run::yaml
