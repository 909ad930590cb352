#include "src/record/run/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run {
namespace {

std::string_view guessed_type(const std::string& value) {
  if (parse_integer(value)) {
    return type_name(std::int64_t{});
  }
  return parse_double(value) ? type_name(double{}) : type_name(std::string{});
}

}  // namespace

std::string value_of_parameter(const Parameters& parameters, const std::string& name,
                               const std::string& otherwise) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const Parameter& parameter) { return parameter.name == name; });
  return found == parameters.end() ? otherwise : found->value;
}

Parameters given_parameters(const std::vector<std::string>& words) {
  Parameters parameters;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(fmt::format("--parameter: found '{}', expected NAME=VALUE", word));
    }
    const std::string value = word.substr(equals + 1);
    parameters.push_back({word.substr(0, equals), value, std::string(guessed_type(value)), "1"});
  }
  return parameters;
}

Parameter command_parameter(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) {
    quoted.push_back(shell_quote(word));
  }
  return {"command", join(quoted, " "), "text", "1"};
}

std::string short_hash(const Parameters& parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    text += parameter.name + "=" + parameter.value + ";";
  }
  return fmt::format("{:08x}", static_cast<std::uint32_t>(fnv1a(text)));
}

}  // namespace epochcast::run
