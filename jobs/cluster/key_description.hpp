// The keys of a YAML file as data, for the reference.
#pragma once

#include <string>
#include <vector>

#include "src/core/fields.hpp"
#include "src/core/quantity.hpp"

namespace epochcast::jobs {

struct KeyDescription {
  std::string name;
  std::string type;
  std::string default_value;
  std::string meaning;
};

/// Appends the keys that are fields of `Struct`, with unit and allowed values.
template <class Struct>
void append_keys(std::vector<KeyDescription>& keys) {
  const Struct defaults;
  for_each_field<Struct>([&](const auto& field) {
    const auto& value = defaults.*field.member;
    std::string type(type_name(value));
    if (field.unit != "1") {
      type += ", " + std::string(field.unit);
    }
    std::string meaning(field.meaning);
    if (!field.allowed.empty()) {
      meaning += " (" + std::string(field.allowed) + ")";
    }
    keys.push_back({std::string(field.name), type, to_text(value), meaning});
  });
}

}  // namespace epochcast::jobs
