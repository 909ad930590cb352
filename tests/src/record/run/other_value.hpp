// For every field of a table a value that is allowed and is not the default, also for fields that
// come later.
#pragma once

#include <string>
#include <type_traits>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run {

inline void make_other(bool& value, std::string_view) {
  value = !value;
}
inline void make_other(std::int64_t& value, std::string_view) {
  value += 3;
}
inline void make_other(double& value, std::string_view) {
  value += 0.25;
}
inline void make_other(Seconds& value, std::string_view) {
  value.value += 5400;
}
inline void make_other(Bytes& value, std::string_view) {
  value.value += 1536;
}

/// Of the words allowed one that it is not; else a text that every form must quote.
inline void make_other(std::string& value, std::string_view allowed) {
  for (const auto& word : split(allowed, '|')) {
    if (!word.empty() && word != value) {
      value = word;
      return;
    }
  }
  value = "other;\\ va'lue=\"1\", $x\xC3\xA9";
}

template <class Enum>
void make_other(Enum& value, std::string_view allowed) requires std::is_enum_v<Enum> {
  std::string text(to_text(value));
  make_other(text, allowed);
  from_text(text, value);
}

template <class Struct>
Struct other_values() {
  Struct object;
  for_each_field<Struct>(
      [&](const auto& field) { make_other(object.*field.member, field.allowed); });
  return object;
}

}  // namespace epochcast::run
