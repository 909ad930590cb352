#include "src/record/run/parameter.hpp"

#include <algorithm>
#include <array>

namespace epochcast::run {

std::string value_of_parameter(const Parameters& parameters, const std::string& name,
                               const std::string& otherwise) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const Parameter& parameter) { return parameter.name == name; });
  return found == parameters.end() ? otherwise : found->value;
}

}  // namespace epochcast::run
