// A key of YAML whose value is a group of the fields of a struct, or none.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "src/base/config/field_values.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run::yaml {

struct Group {
  std::string name;     ///< Of the key; for messages.
  std::string example;  ///< "{currency: EUR, cpu_hour: 0.01}".
  /// Keys that are no fields, and what reads them.
  std::map<std::string, std::function<void(const Node&)>> lists = {};
};

/// Sets the fields of `object` that the group names; the others stay. "none" resets all. Throws
/// Error with file and line for another value, an unknown key or a value that a field refuses.
template <class Struct>
void read_group(const Node& node, const Group& group, Struct& object) {
  if (node.kind == Node::Kind::scalar && node.text() == "none") {
    object = {};
    return;
  }
  auto known = field_names<Struct>();
  for (const auto& [key, read] : group.lists) {
    known.push_back(key);
  }
  for (const auto& [key, value] :
       node.as_map(fmt::format("'none', or a group of keys such as '{}'", group.example)).map) {
    if (const auto list = group.lists.find(key); list != group.lists.end()) {
      list->second(value);
      continue;
    }
    if (std::ranges::find(known, key) == known.end()) {
      throw value.error(
          fmt::format("{}: unknown key '{}'{}", group.name, key, did_you_mean(key, known)));
    }
    const auto& text = value.one_line();
    try {
      set_field_by_name(object, key, text);
    } catch (const Error& error) {
      throw value.error(fmt::format("{}.{}", group.name, error.what()));
    }
  }
}

}  // namespace epochcast::run::yaml
