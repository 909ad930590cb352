// Lines as most programs write them: without colours, JSON around the message, and words of other
// languages than English.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::progress {

/// std::nullopt: the line is so already. In other languages, the words for an epoch, a step and an
/// evaluation become the English ones.
std::optional<std::string> plain_line(std::string_view line);
/// The same of a text of lines, without the escape sequences of colours.
std::optional<std::string> plain_text(std::string_view text);

/// A line in another language holds one of these.
const std::vector<std::string>& foreign_hints();

}  // namespace epochcast::progress
