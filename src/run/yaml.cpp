#include "src/run/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace epochcast::yaml {
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

Node convert(const YAML::Node& from, const std::string& file, int depth);

void convert_map(const YAML::Node& from, const std::string& file, int depth, Node& to) {
  to.kind = Node::Kind::map;
  for (const auto& entry : from) {
    if (!entry.first.IsScalar()) {
      throw Error(file, entry.first.Mark().line + 1, "found a key that is not a single word");
    }
    const auto key = entry.first.Scalar();
    if (to.find(key) != nullptr) {
      throw Error(file, entry.first.Mark().line + 1, fmt::format("key '{}' stands here a second time", key));
    }
    to.map.emplace_back(key, convert(entry.second, file, depth));
    if (to.map.back().second.kind == Node::Kind::null) {
      to.map.back().second.line = entry.first.Mark().line + 1;  // yaml-cpp marks an empty value elsewhere
    }
  }
}

Node convert(const YAML::Node& from, const std::string& file, int depth) {
  constexpr int deepest = 100;  // an alias inside its own anchor would never end
  Node to;
  to.file = file;
  to.line = from.Mark().line + 1;
  if (depth > deepest) {
    throw Error(file, to.line, "found a document nested more than 100 levels deep");
  }
  if (from.IsScalar()) {
    to.kind = Node::Kind::scalar;
    to.scalar = from.Scalar();
  } else if (from.IsSequence()) {
    to.kind = Node::Kind::list;
    for (const auto& item : from) {
      to.list.push_back(convert(item, file, depth + 1));
    }
  } else if (from.IsMap()) {
    convert_map(from, file, depth + 1, to);
  }
  return to;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : map) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

const std::string& Node::text() const {
  if (kind != Kind::scalar) {
    throw error(fmt::format("found {}, expected a single value", kind_name(kind)));
  }
  return scalar;
}

std::vector<Node> Node::items() const {
  if (kind == Kind::map || kind == Kind::null) {
    throw error(fmt::format("found {}, expected a list", kind_name(kind)));
  }
  return kind == Kind::list ? list : std::vector<Node>{*this};
}

const Node& Node::as_map(std::string_view what) const {
  if (kind != Kind::map) {
    throw error(fmt::format("found {}, expected {}", kind_name(kind), what));
  }
  return *this;
}

Node parse_text(const std::string& text, const std::string& name) {
  try {
    return convert(YAML::Load(text), name, 0);
  } catch (const YAML::Exception& error) {
    throw Error(name, error.mark.line + 1, "is not YAML: " + error.msg);
  }
}

Node parse_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) {
    // An empty file also sets failbit; only what could not be opened or read is an error.
    if (!in.is_open() || in.bad()) {
      throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    }
  }
  return parse_text(text.str(), path);
}

}  // namespace epochcast::yaml
