#include "src/run/parameter.hpp"

#include <algorithm>
#include <array>

namespace epochcast::run {

std::string current_value(std::string_view name, std::string_view value) {
  struct Renamed {
    std::string_view name, before, now;
  };
  constexpr std::array renamed{Renamed{"procedure", "lab", "reference"},
                               Renamed{"procedure", "fast", "optimized"}};
  for (const auto& each : renamed) {
    if (each.name == name && each.before == value) {
      return std::string(each.now);
    }
  }
  return std::string(value);
}

std::string value_of_parameter(const Parameters& parameters, const std::string& name,
                               const std::string& otherwise) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const Parameter& parameter) { return parameter.name == name; });
  return found == parameters.end() ? otherwise : found->value;
}

}  // namespace epochcast::run
