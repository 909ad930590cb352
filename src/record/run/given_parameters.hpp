// The parameters of a run that was started by hand: given as arguments, and part of its name.
#pragma once

#include <string>
#include <vector>

#include "src/record/run/parameter.hpp"

namespace epochcast::run {

/// The values of the option `--parameter`, "NAME=VALUE": an integer, a number or a text each.
/// Throws Error that names the option, the argument found and the form expected.
Parameters given_parameters(const std::vector<std::string>& words);

/// The command line as the parameter `command`, as one would type them.
Parameter command_parameter(const std::vector<std::string>& words);

/// Eight hexadecimal digits that tell runs with other parameters apart.
std::string short_hash(const Parameters& parameters);

}  // namespace epochcast::run
