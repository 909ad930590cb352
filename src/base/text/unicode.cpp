#include "src/base/text/unicode.hpp"

#include <utf8proc.h>

#include <stdexcept>

namespace epochcast::text::unicode {

Category category(char32_t code) {
  switch (utf8proc_category(utf8proc_int32_t(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Category::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Category::number;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return Category::punctuation;
    case UTF8PROC_CATEGORY_MN:
      return Category::nonspacing_mark;
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CO:
      return Category::control;
    default:
      return Category::other;
  }
}

bool is_white_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || code == 0x20 || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

int combining_class(char32_t code) {
  return utf8proc_get_property(utf8proc_int32_t(code))->combining_class;
}

int columns(char32_t code) {
  return utf8proc_charwidth(utf8proc_int32_t(code));
}

int decompose(char32_t code, char32_t (&parts)[max_parts]) {
  utf8proc_int32_t found[max_parts];
  const auto count = utf8proc_decompose_char(utf8proc_int32_t(code), found, max_parts,
                                             UTF8PROC_DECOMPOSE, nullptr);
  if (count < 1 || count > max_parts) {  // the longest canonical decomposition has four
    throw std::logic_error("utf8proc: a code point decomposes into more than four");
  }
  for (int i = 0; i < count; ++i) {
    parts[i] = char32_t(found[i]);
  }
  return int(count);
}

char32_t lower_case(char32_t code) {
  return char32_t(utf8proc_tolower(utf8proc_int32_t(code)));
}

}  // namespace epochcast::text::unicode
