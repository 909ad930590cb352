#include "src/record/run/run_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "src/base/config/field_values.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/record/run/serving.hpp"
#include "src/record/run/streaming.hpp"

namespace epochcast::run {
namespace {

/// Calls `visit` with each struct whose field table has options of a task's owner.
template <class Visit>
void for_each_table(const OptionOwner& owner, Visit&& visit) {
  if (owner.prefix == "serve.") {
    visit(ServeOptions{});
  } else if (owner.prefix == "load.") {
    visit(LoadOptions{});
  } else if (owner.prefix == "stream.") {
    visit(ProduceOptions{});
    visit(ConsumeOptions{});
  }
}

/// Throws Error "serve.batch: found 'x', expected a whole number", or "serve.bacth: unknown option
/// of task serve; did you mean 'batch'?".
void check_task_option(const OptionOwner& owner, std::string_view name, std::string_view text) {
  const auto known = names_of_task_options(owner);
  if (owner.task && std::ranges::find(known, name) == known.end()) {
    throw Error(fmt::format("{}{}: unknown option of task {}{}", owner.prefix, name,
                            to_text(*owner.task), did_you_mean(name, known)));
  }
  for_each_table(owner, [&](auto scratch) {
    const auto own = field_names<decltype(scratch)>();
    if (std::ranges::find(own, name) == own.end()) {
      return;
    }
    try {
      set_field_by_name(scratch, name, text);
    } catch (const Error& error) {
      throw Error(std::string(owner.prefix) + error.what());
    }
  });
}

/// An option as a parameter: with type and unit where a table has them.
Parameter option_parameter(const OptionOwner& owner, const std::string& name,
                           const std::string& value) {
  Parameter parameter{std::string(owner.prefix) + name, value, "text", "1"};
  for_each_table(owner, [&](const auto& defaults) {
    for_each_field<std::remove_cvref_t<decltype(defaults)>>([&](const auto& field) {
      if (field.name == name) {
        parameter.type = type_name(defaults.*field.member);
        parameter.unit = field.unit;
      }
    });
  });
  return parameter;
}

void append_options(Parameters& parameters, const OptionOwner& owner, const RunConfig& config) {
  for (const auto& [name, value] : config.*owner.options) {
    parameters.push_back(option_parameter(owner, name, value));
  }
}

template <class Keep>
Parameters collect(const RunConfig& config, Keep&& keep) {
  Parameters parameters;
  for_each_field<RunConfig>([&](const auto& field) {
    if (keep(field)) {
      const auto& value = config.*field.member;
      parameters.push_back({std::string(field.name), std::string(to_text(value)),
                            std::string(type_name(value)), std::string(field.unit)});
    }
    for (const auto& owner : option_owners) {
      if (owner.prefix.starts_with(field.name) && owner.prefix.size() == field.name.size() + 1) {
        append_options(parameters, owner, config);
      }
    }
  });
  for (const auto& owner : option_owners) {
    if (owner.task) {
      append_options(parameters, owner, config);
    }
  }
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
  return mapped(option_owners, [](const auto& owner) { return std::string(owner.prefix); });
}

std::vector<std::string> names_of_task_options(const OptionOwner& owner) {
  std::vector<std::string> names;
  for_each_table(owner, [&](const auto& options) {
    const auto own = field_names<std::remove_cvref_t<decltype(options)>>();
    names.insert(names.end(), own.begin(), own.end());
  });
  return names;
}

void require_options_of_task(const RunConfig& config) {
  for (const auto& owner : option_owners) {
    const auto& given = config.*owner.options;
    if (owner.task && owner.task != config.task && !given.empty()) {
      throw Error(fmt::format("{}{}: is an option of task {}, found task {}", owner.prefix,
                              given.begin()->first, to_text(*owner.task), to_text(config.task)));
    }
  }
}

std::vector<std::string> run_config_names() {
  return field_names<RunConfig>();
}

std::set<std::string, std::less<>> names_of_roles(std::initializer_list<ParameterRole> roles) {
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
    if (field.name == name) {
      text = current_value(field.old_values, text);
    }
  });
  return std::string(text);
}

void set_field(RunConfig& config, std::string_view name, std::string_view text) {
  if (const auto* owner = owner_of_option(name)) {
    check_task_option(*owner, name.substr(owner->prefix.size()), text);
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
