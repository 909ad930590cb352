// `--set key=value`: changes an experiment's document before it is read.
#pragma once

#include <string>

#include "src/run/yaml.hpp"

namespace epochcast::jobs {

/// Sets the value of "key=value" where the file has the key: in the swept lists or at the top
/// level.
/// "[1, 20]" is a list; "1,20" is one if the key is swept or written as "sweep.key". A list is
/// always swept. Throws Error if there is no '='.
void set_key(run::yaml::Node& document, const std::string& text);

}  // namespace epochcast::jobs
