// The properties of code points that tokenizers ask for; unicode.cpp alone knows utf8proc.
#pragma once

namespace epochcast::text::unicode {

/// General categories, those that nobody tells apart taken together.
enum class Category { letter, number, punctuation, nonspacing_mark, control, other };

/// By the version of Unicode that utf8proc has (2.8: 15.0). Control is Cc, Cf and Co.
Category category(char32_t code);

/// Unicode's White_Space.
bool is_white_space(char32_t code);

/// The canonical combining class; 0 for all that is no mark.
int combining_class(char32_t code);

/// `code` decomposed canonically as far as it goes, into `parts`: their number, at most
/// max_parts.
inline constexpr int max_parts = 4;
int decompose(char32_t code, char32_t (&parts)[max_parts]);

/// The lower case of `code` where that is one code point.
char32_t lower_case(char32_t code);

}  // namespace epochcast::text::unicode
