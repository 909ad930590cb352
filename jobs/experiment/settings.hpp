// The settings of an experiment: names and texts, in order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast::jobs {

using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

/// The last value of `name`, or nullptr.
const std::string* find_setting(const Settings& settings, std::string_view name);

/// "key=value" as a pair. Throws Error "found 'x', expected KEY=VALUE".
Setting parse_setting(std::string_view text);

}  // namespace epochcast::jobs
