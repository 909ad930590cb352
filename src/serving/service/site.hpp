// Who may ask: whether a request comes from a page of another site, which a browser on this machine
// has open (a service without a token has only this to tell such a page from its users); the token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/serving/http/message.hpp"

namespace epochcast::serve {

/// The names of this machine that have a dot, and `listens_on`.
std::vector<std::string> own_names(const std::string& listens_on);

/// Why a request is refused; "": it is not. Its `Host` must be an address, a name without a dot or
/// one of `names`: whoever owns another name can make it lead to this machine. `Origin`, which only
/// browsers send, must be the same as `Host`.
std::string fault_of_site(const http::Request& request, const std::vector<std::string>& names);

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
