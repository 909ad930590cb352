// Functions for every struct with a field table: list its names, set a field by name, list the
// values as text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run {

template <class Struct>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for_each_field<Struct>([&](const auto& field) { names.emplace_back(field.name); });
  return names;
}

/// Sets `field` of `object` from text. Throws Error "found 'x', expected a whole number" if the
/// text has another type or is not an allowed value.
template <class Struct, class AnyField>
void set_field_value(Struct& object, const AnyField& field, std::string_view text) {
  value_of<AnyField> value{};
  from_text(current_value(field.old_values, text), value);
  check_allowed(to_text(value), field.allowed);
  object.*field.member = value;
}

/// Sets the field called `name` from text. Throws Error "batch: found 'x',
/// expected a whole number" or "unknown key 'bacth'; did you mean 'batch'?".
template <class Struct>
void set_field_by_name(Struct& object, std::string_view name, std::string_view text) {
  bool known = false;
  for_each_field<Struct>([&](const auto& field) {
    if (field.name != name) {
      return;
    }
    known = true;
    try {
      set_field_value(object, field, text);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name, error.what()));
    }
  });
  if (!known) {
    throw Error(fmt::format("unknown key '{}'{}", name, did_you_mean(name, field_names<Struct>())));
  }
}

/// (name, text) of every field, in the order of the table.
template <class Struct>
std::vector<std::pair<std::string, std::string>> field_texts(const Struct& object) {
  std::vector<std::pair<std::string, std::string>> texts;
  for_each_field<Struct>(
      [&](const auto& field) { texts.emplace_back(field.name, to_text(object.*field.member)); });
  return texts;
}

}  // namespace epochcast::run
