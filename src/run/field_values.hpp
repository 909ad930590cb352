// What every struct with a field table of quantities can do: name its fields, set one by name, list
// them as text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/error.hpp"
#include "src/core/fields.hpp"
#include "src/core/quantity.hpp"
#include "src/core/text.hpp"
#include "src/run/parameter.hpp"

namespace epochcast::run {

template <class Struct>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for_each_field<Struct>([&](const auto& field) { names.emplace_back(field.name); });
  return names;
}

/// Sets the field `name` from text, checked by type and by what is allowed.
/// Throws Error "batch: found 'x', expected a whole number" or "unknown key 'bacth'; did you mean
/// 'batch'?".
template <class Struct>
void set_field_by_name(Struct& object, std::string_view name, std::string_view text) {
  bool known = false;
  for_each_field<Struct>([&](const auto& field) {
    if (!is_called(field, name)) {
      return;
    }
    known = true;
    try {
      value_of<decltype(field)> value{};
      from_text(current_value(field.old_values, text), value);
      check_allowed(to_text(value), field.allowed);
      object.*field.member = value;
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
