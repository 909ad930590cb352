// Lines of loggers that write JSON: {"asctime": "...", "message": "Epoch 1/4"}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast::progress {

/// The line as another logger writes it: its time, its message, and the other values as "name:
/// value". std::nullopt: it is no JSON object with a message.
std::optional<std::string> json_message(std::string_view line);

}  // namespace epochcast::progress
