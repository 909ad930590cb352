// Parses JSON from untrusted sources: limits the nesting and rejects duplicate names in an object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace epochcast {

/// Throws Error "WHERE: ..." if `text` is not JSON, nests more than `depth` containers, or has a
/// duplicate name in one object.
nlohmann::json parse_strict_json(std::string_view text, const std::string& where, int depth);

/// A name from a file, for a message: quoted, in ASCII, truncated if it is long.
std::string shown_name(std::string_view name);

}  // namespace epochcast
