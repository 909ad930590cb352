// A struct with a field table as one word, for a variable of the environment:
// "partition=gpu;cpus=8".
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/config/field_values.hpp"
#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run {

/// Splits at ';' unless a backslash precedes it, and removes the backslashes.
std::vector<std::string> split_packed(std::string_view text);

/// Every field that differs from its default.
template <class Struct>
std::string pack_fields(const Struct& object) {
  std::vector<std::string> parts;
  for_each_field<Struct>([&](const auto& field) {
    if (object.*field.member == Struct{}.*field.member) {
      return;
    }
    std::string part = std::string(field.name) + "=";
    for (const char c : to_text(object.*field.member)) {
      part += c == ';' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    parts.push_back(part);
  });
  return join(parts, ";");
}

/// The inverse of pack_fields. Throws Error for an unknown key or a wrong value.
template <class Struct>
Struct unpack_fields(std::string_view text) {
  Struct object;
  for (const auto& part : split_packed(text)) {
    if (!part.empty()) {
      const auto equals = std::min(part.find('='), part.size());
      set_field_by_name(object, std::string_view(part).substr(0, equals),
                        std::string_view(part).substr(std::min(equals + 1, part.size())));
    }
  }
  return object;
}

}  // namespace epochcast::run
