// One text for each value of an enum: files and listings contain the text, the code compares
// values.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace epochcast {

/// One value of `Enum` and its text. Next to the enum, `constexpr auto texts_of(Tag<Enum>)` returns
/// a std::array of these; argument-dependent lookup finds it.
template <class Enum>
using EnumText = std::pair<Enum, std::string_view>;

template <class>
struct Tag;

/// The text of `value`.
template <class Enum>
constexpr std::string_view to_text(Enum value) requires requires {
  texts_of(Tag<Enum>{});
}
{
  for (const auto& [each, text] : texts_of(Tag<Enum>{})) {
    if (each == value) {
      return text;
    }
  }
  return {};
}

/// The value whose text is `text`; std::nullopt if there is none.
template <class Enum>
constexpr std::optional<Enum> parse_enum(std::string_view text) {
  for (const auto& [each, its_text] : texts_of(Tag<Enum>{})) {
    if (its_text == text) {
      return each;
    }
  }
  return std::nullopt;
}

}  // namespace epochcast
