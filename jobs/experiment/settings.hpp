// The settings of an experiment: names and texts, in order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/config/yaml.hpp"

namespace epochcast::jobs {

using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

/// The last value of `name`, or nullptr.
const std::string* find_setting(const Settings& settings, std::string_view name);

/// "key=value" as a pair. Throws Error "found 'x', expected KEY=VALUE".
Setting parse_setting(std::string_view text);

/// Sets the value of "key=value" where the file has the key: in the swept lists or at the top
/// level.
/// "[1, 20]" is a list; "1,20" is one if the key is swept or written as "sweep.key". A list is
/// always swept. Throws Error if there is no '='.
void set_key(run::yaml::Node& document, const std::string& text);

}  // namespace epochcast::jobs
