// What BERT's fast tokenizer takes a character for. Its tables are of other versions of Unicode
// than utf8proc's; where a token can depend on it, the difference is pinned here.
#pragma once

#include "src/text/unicode.hpp"

namespace epochcast::text::bert {

/// Dropped from the text.
bool is_control(char32_t code);
bool is_nonspacing_mark(char32_t code);

/// A word of its own: ASCII's signs, also those that Unicode calls symbols, and all punctuation.
bool is_punctuation(char32_t code);

/// A word of its own too.
bool is_ideograph(char32_t code);

int combining_class(char32_t code);
int decompose(char32_t code, char32_t (&parts)[unicode::max_parts]);
char32_t lower_case(char32_t code);

}  // namespace epochcast::text::bert
