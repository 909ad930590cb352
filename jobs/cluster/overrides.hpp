// The user's own values for keys of a profile, such as the account: a profile is shared by all
// users of a site.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/base/config/yaml.hpp"

namespace epochcast::jobs {

/// (KEY, value) for all allocations, (ALLOCATION.KEY, value) for one.
using SiteSettings = std::vector<std::pair<std::string, std::string>>;

/// Adds the group `overrides` to a profile: the values that ~/.config/epochcast/sites.yaml has for
/// the profile's name, then `settings`. Returns the same as lines to append to the profile's text;
/// "" if there are none. Throws Error if the profile has `overrides` already.
std::string add_overrides(run::yaml::Node& profile, const SiteSettings& settings);

}  // namespace epochcast::jobs
