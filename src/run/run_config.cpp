#include "src/run/run_config.hpp"

#include <algorithm>

#include "src/run/field_values.hpp"

namespace epochcast::run {
namespace {

void append_options(Parameters& parameters, std::string_view prefix, const OptionValues& values) {
  for (const auto& [name, value] : values) {
    parameters.push_back({std::string(prefix) + name, value, "text", "1"});
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
    for (const auto& owner : option_owners) {
      if (owner.prefix.starts_with(field.name) && owner.prefix.size() == field.name.size() + 1) {
        append_options(parameters, owner.prefix, config.*owner.options);
      }
    }
  });
  return parameters;
}

}  // namespace

const OptionOwner* owner_of_option(std::string_view name) {
  const auto owner = std::find_if(option_owners.begin(), option_owners.end(), [&](const auto& o) {
    return name.starts_with(o.prefix) && name.size() > o.prefix.size();
  });
  return owner == option_owners.end() ? nullptr : &*owner;
}

std::vector<std::string> option_prefixes() {
  std::vector<std::string> prefixes;
  for (const auto& owner : option_owners) {
    prefixes.emplace_back(owner.prefix);
  }
  return prefixes;
}

std::vector<std::string> run_config_names() {
  return field_names<RunConfig>();
}

std::set<std::string, std::less<>> fields_of(std::initializer_list<ParameterRole> roles) {
  std::set<std::string, std::less<>> names;
  for_each_field<RunConfig>([&](const auto& field) {
    if (std::ranges::find(roles, field.role) != roles.end()) {
      names.emplace(field.name);
    }
  });
  return names;
}

std::string current_text(std::string_view name, std::string_view text) {
  for_each_field<RunConfig>([&](const auto& field) {
    if (field.is_called(name)) {
      text = current_value(field.old_values, text);
    }
  });
  return std::string(text);
}

void set_field(RunConfig& config, std::string_view name, std::string_view text) {
  if (const auto* owner = owner_of_option(name)) {
    (config.*owner->options)[std::string(name.substr(owner->prefix.size()))] = text;
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

}  // namespace epochcast::run
