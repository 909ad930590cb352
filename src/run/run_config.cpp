#include "src/run/run_config.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/text.hpp"
#include "src/run/field_values.hpp"

namespace epochcast {
namespace {

void append_options(Parameters& parameters, std::string_view owner, const OptionValues& values) {
  for (const auto& [name, value] : values) {
    parameters.push_back({fmt::format("{}.{}", owner, name), value, "text", "1"});
  }
}

template <class Keep>
Parameters collect(const RunConfig& config, Keep&& keep) {
  Parameters parameters;
  for_each_field<RunConfig>([&](const auto& field) {
    if (keep(field)) {
      const auto& value = config.*field.member;
      parameters.push_back({std::string(field.name), to_text(value), std::string(type_name(value)),
                            std::string(field.unit)});
    }
    if (field.name == "model") {
      append_options(parameters, "model", config.model_options);
    } else if (field.name == "dataset") {
      append_options(parameters, "dataset", config.dataset_options);
    }
  });
  return parameters;
}

}  // namespace

std::vector<std::string> run_config_names() {
  return field_names<RunConfig>();
}

void set_field(RunConfig& config, std::string_view name, std::string_view text) {
  const auto dot = name.find('.') + 1;  // 0: none
  if (name.starts_with("model.") && name.size() > dot) {
    config.model_options[std::string(name.substr(dot))] = text;
  } else if (name.starts_with("dataset.") && name.size() > dot) {
    config.dataset_options[std::string(name.substr(dot))] = text;
  } else {
    set_field_by_name(config, name, text);
  }
}

Parameters to_parameters(const RunConfig& config) {
  return collect(config, [](const auto&) { return true; });
}

Parameters non_default_parameters(const RunConfig& config) {
  static const RunConfig defaults;
  return collect(
      config, [&](const auto& field) { return !(config.*field.member == defaults.*field.member); });
}

RunConfig run_config_from(const Parameters& parameters) {
  RunConfig config;
  for (const auto& parameter : parameters) {
    set_field(config, parameter.name, parameter.value);
  }
  return config;
}

}  // namespace epochcast
