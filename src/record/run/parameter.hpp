// A named, typed parameter of a run, from RunConfig or from the placeholders of a `command:`. This
// list is all that the code after the generator knows about an experiment.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace epochcast::run {

struct Parameter {
  std::string name;   ///< "batch", "model.depth", "dataset.path".
  std::string value;  ///< As to_text writes it.
  std::string type;   ///< As type_name names it.
  std::string unit;   ///< "1" for a count or a label.
  bool operator==(const Parameter&) const = default;
};

using Parameters = std::vector<Parameter>;

/// Values of a run's parameters by their names.
using ParameterValues = std::map<std::string, std::string>;

/// The value of `name`, or `otherwise` if there is none.
std::string value_of_parameter(const Parameters& parameters, const std::string& name,
                               const std::string& otherwise = "");

/// The values of the option `--parameter`, "NAME=VALUE": an integer, a number or a text each.
/// Throws Error that names the option, the argument found and the form expected.
Parameters given_parameters(const std::vector<std::string>& words);

/// The command line as the parameter `command`, as one would type them.
Parameter command_parameter(const std::vector<std::string>& words);

/// Eight hexadecimal digits that tell runs with other parameters apart.
std::string short_hash(const Parameters& parameters);

}  // namespace epochcast::run
