// `--set key=value`: changes an experiment's document before it is read.
#pragma once

#include <string>

#include "src/run/yaml.hpp"

namespace epochcast::jobs {

/// Puts the value of "key=value" where the file has the key: among the swept lists, or at the top.
/// "[1, 20]" is a list; so is "1,20" where the key is swept, or is called "sweep.key". A list is
/// always swept. Throws Error where there is no '='.
void set_key(run::yaml::Node& document, const std::string& text);

}  // namespace epochcast::jobs
