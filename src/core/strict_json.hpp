// JSON of strangers: bounded nesting, no name twice in an object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace epochcast {

/// Throws Error "WHERE: ..." where `text` is no JSON, nests deeper than `depth` containers in each
/// other, or has a name twice in one object.
nlohmann::json parse_strict_json(std::string_view text, const std::string& where, int depth);

/// A name from a file as part of a message: quoted, in ASCII, cut where it is long.
std::string shown_name(std::string_view name);

}  // namespace epochcast
