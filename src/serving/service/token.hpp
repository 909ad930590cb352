// The token that a request must have.
#pragma once

#include <string>
#include <string_view>

namespace epochcast::serve {

/// The variable of the environment that may hold the token. It never stands on a command line,
/// which every user of a machine can read.
inline constexpr const char* token_variable = "EPOCHCAST_TOKEN";

/// The token in `file`, or in the environment, without white space at its ends; "" if neither is
/// given. Throws Error if both are, if the token is empty or has other than visible ASCII
/// characters, or if others than the owner may read the file.
std::string read_token(const std::string& file);

/// Whether the header Authorization is "Bearer TOKEN". Its time does not depend on how much of the
/// token is right. An empty token admits everything.
bool admits(std::string_view token, std::string_view authorization);

}  // namespace epochcast::serve
