// Whether a request comes from a page of another site, which a browser on this machine has open. A
// service without a token has only this to tell such a page from its users.
#pragma once

#include <string>
#include <vector>

#include "src/serving/http/message.hpp"

namespace epochcast::serve {

/// The names of this machine that have a dot, and `listens_on`.
std::vector<std::string> own_names(const std::string& listens_on);

/// Why a request is refused; "": it is not. Its `Host` must be an address, a name without a dot or
/// one of `names`: whoever owns another name can make it lead to this machine. `Origin`, which only
/// browsers send, must be the same as `Host`.
std::string fault_of_site(const http::Request& request, const std::vector<std::string>& names);

}  // namespace epochcast::serve
