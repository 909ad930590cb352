// The properties of code points that tokenizers need. Only unicode.cpp uses utf8proc.
#pragma once

namespace epochcast::text::unicode {

/// General categories; those that no caller distinguishes are combined.
enum class Category { letter, number, punctuation, nonspacing_mark, control, other };

/// The category in utf8proc's version of Unicode (utf8proc 2.8: Unicode 15.0). Control is Cc, Cf
/// and Co.
Category category(char32_t code);

/// Whether `code` has Unicode's property White_Space.
bool is_white_space(char32_t code);

/// The canonical combining class; 0 for a code point that is not a mark.
int combining_class(char32_t code);

/// The number of columns that a terminal needs for `code`: 0 (a mark), 1 or 2.
int columns(char32_t code);

/// Decomposes `code` canonically and completely into `parts`. Returns their number, at most
/// max_parts.
inline constexpr int max_parts = 4;
int decompose(char32_t code, char32_t (&parts)[max_parts]);

/// The lower case of `code` if that is one code point.
char32_t lower_case(char32_t code);

}  // namespace epochcast::text::unicode
