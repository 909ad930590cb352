// Text of records and of users as HTML, escaped so that no markup in it takes effect.
#pragma once

#include <string>
#include <string_view>

namespace epochcast::html {

/// `text` as content of an element or as a value in double quotes. Marks of HTML become entities.
/// Characters that a reader cannot see, or that change the order of others (controls, escape
/// sequences, newlines, bidirectional and zero-width ones), become visible: "\n", "\x1b", "\u202e".
/// Bytes that are not UTF-8 become U+FFFD. The result is one line of UTF-8.
std::string escaped(std::string_view text);

}  // namespace epochcast::html
