// Hides passwords, tokens and keys in texts that are kept or shown.
#pragma once

#include <string>
#include <string_view>

namespace epochcast {

/// What stands in the place of a secret.
inline constexpr std::string_view hidden = "***";

/// `text` (a command line, environment variables, an address) with `***` instead of each value
/// that is a secret: by the name before it ("--password x", "API_KEY=x", "Authorization: Bearer
/// x"), by its form ("hf_...", "ghp_...", a JSON web token) or by its place in an address
/// ("redis://user:x@host"). The names and forms are the table in secrets.cpp.
std::string without_secrets(std::string_view text);

/// The value of the variable, option or parameter `name`: `***` if that is the name of a secret.
std::string without_secrets(std::string_view name, std::string_view value);

}  // namespace epochcast
