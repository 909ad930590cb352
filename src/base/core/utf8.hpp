// The code points of a text that may be anything.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace epochcast {

/// A code point and its number of bytes.
struct CodePoint {
  char32_t code = 0;
  std::size_t bytes = 1;
};

/// The code point at the start of `text`, which is not empty; std::nullopt if its bytes are not
/// UTF-8 (the Unicode Standard, table 3-7: no overlong forms, no surrogates, nothing above
/// U+10FFFF).
std::optional<CodePoint> first_code_point(std::string_view text);

/// Whether a character is not seen, or changes what is seen of others: controls, characters without
/// width, line and paragraph separators, changes of direction (UAX #9), code points of none.
bool is_unseen(char32_t code);

}  // namespace epochcast
