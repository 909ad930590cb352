// How BERT's fast tokenizer classifies a character. Its tables follow other Unicode versions than
// utf8proc. Where a token can depend on the difference, this file fixes the value.
#pragma once

#include "src/base/text/unicode.hpp"

namespace epochcast::text::bert {

/// Control characters are dropped from the text.
bool is_control(char32_t code);
bool is_nonspacing_mark(char32_t code);

/// A punctuation character is a word of its own: all ASCII signs, including those that Unicode
/// classifies as symbols, and all Unicode punctuation.
bool is_punctuation(char32_t code);

/// An ideograph is also a word of its own.
bool is_ideograph(char32_t code);

int combining_class(char32_t code);
int decompose(char32_t code, char32_t (&parts)[unicode::max_parts]);
char32_t lower_case(char32_t code);

}  // namespace epochcast::text::bert
