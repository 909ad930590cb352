#include "src/training/torch/run/list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/base/cli/key_table.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch {
namespace {

using Json = nlohmann::ordered_json;

template <class Spec>
Json entries(const std::map<std::string, Spec>& specs) {
  Json all = Json::object();
  for (const auto& [name, spec] : specs) {
    Json options = Json::array();
    for (const auto& option : spec.options) {
      options.push_back({{"name", option.name},
                         {"type", option.type},
                         {"default", option.default_value},
                         {"unit", option.unit},
                         {"meaning", option.meaning},
                         {"allowed", option.allowed}});
    }
    all[name] = {{"summary", spec.summary}, {"options", options}};
  }
  return all;
}

template <class Spec>
std::string lines(std::string_view kind, const std::map<std::string, Spec>& specs) {
  std::string text;
  for (const auto& [name, spec] : specs) {
    text += fmt::format("{:<9} {:<20} {}\n", kind, name, spec.summary);
  }
  return text;
}

/// The help of `name`, with its options as --KIND.OPTION; "" if `specs` do not have it.
template <class Spec>
std::string help_of(std::string_view kind, const std::string& name,
                    const std::map<std::string, Spec>& specs) {
  const auto found = specs.find(name);
  if (found == specs.end()) {
    return "";
  }
  cli::CommandSpec help{.usage = fmt::format("epochcast-train --{}={}", kind, name),
                        .summary = found->second.summary,
                        .example = "",
                        .options = {}};
  for (const auto& option : found->second.options) {
    const auto allowed = option.allowed.empty() ? "" : " (" + option.allowed + ")";
    help.options.push_back({fmt::format("{}.{}", kind, cli::option_name(option.name)), option.type,
                            option.meaning + allowed, option.default_value});
  }
  help.usage += help.options.empty() ? "" : fmt::format(" [--{}.OPTION=VALUE]", kind);
  return cli::help_text(help);
}

/// Entries whose options differ in their defaults only: the sizes of one network, say.
template <class Spec>
using OptionFamily = std::vector<std::pair<std::string, const Spec*>>;

bool differ_in_defaults_only(const std::vector<run::OptionSpec>& some,
                             const std::vector<run::OptionSpec>& others) {
  return std::ranges::equal(some, others, [](const auto& a, const auto& b) {
    return a.name == b.name && a.type == b.type && a.unit == b.unit && a.meaning == b.meaning &&
           a.allowed == b.allowed;
  });
}

template <class Spec>
std::vector<OptionFamily<Spec>> option_families(const std::map<std::string, Spec>& specs) {
  std::vector<OptionFamily<Spec>> all;
  for (const auto& entry : specs) {
    const auto& spec = entry.second;
    const auto family = std::ranges::find_if(all, [&](const OptionFamily<Spec>& other) {
      return differ_in_defaults_only(other.front().second->options, spec.options);
    });
    (family == all.end() ? all.emplace_back() : *family).emplace_back(entry.first, &spec);
  }
  return all;
}

/// "12", or where they differ "12; 12; 4", in the order of the family.
template <class Spec>
std::string family_defaults(const OptionFamily<Spec>& family, std::size_t option) {
  std::vector<std::string> values;
  for (const auto& [name, spec] : family) {
    values.push_back(spec->options[option].default_value);
  }
  const bool alike = std::ranges::count(values, values.front()) == std::ssize(values);
  return alike ? values.front() : fmt::format("{}", fmt::join(values, "; "));
}

template <class Spec>
std::string family_text(std::string_view kind, const OptionFamily<Spec>& family) {
  std::string names;
  std::string summaries;
  for (const auto& [name, spec] : family) {
    names += (names.empty() ? "" : ", ") + name;
    summaries += family.size() == 1 ? spec->summary + "\n"
                                    : fmt::format("- `{}`: {}\n", name, spec->summary);
  }
  std::vector<cli::KeyRow> rows;
  for (const auto& option : family.front().second->options) {
    rows.push_back({fmt::format("{}.{}", kind, option.name), option.type,
                    family_defaults(family, rows.size()), option.unit, option.meaning,
                    option.allowed});
  }
  return fmt::format("\n### {}\n\n{}{}", names, summaries,
                     rows.empty() ? "" : "\n" + cli::key_table(rows));
}

template <class Spec>
std::string section(std::string_view title, std::string_view kind,
                    const std::map<std::string, Spec>& specs) {
  auto text = fmt::format("\n## {}\n", title);
  for (const auto& family : option_families(specs)) {
    text += family_text(kind, family);
  }
  return text;
}

std::vector<std::string> all_names() {
  auto names = names_of(models::all());
  for (const auto& more : {names_of(datasets::all()), names_of(optimizers::all())}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

}  // namespace

std::string model_list_json() {
  Json all{{"models", entries(models::all())},
           {"datasets", entries(datasets::all())},
           {"optimizers", entries(optimizers::all())}};
  for (const auto& [name, model] : models::all()) {
    all["models"][name]["optimizer"] = model.optimizer.name;
  }
  return all.dump(2) + "\n";
}

std::string model_list_text() {
  return lines("model", models::all()) + lines("data set", datasets::all()) +
         lines("optimizer", optimizers::all());
}

std::string options_page() {
  return "# Options of models, data sets and optimizers\n\nIn YAML: `model: {name: mlp, depth: 3}` "
         "or "
         "`model.depth: 3`. On the command line: `--model.depth=3`. Several defaults are in the "
         "order of the heading.\n" +
         section("Models", "model", models::all()) +
         section("Data sets", "dataset", datasets::all()) +
         section("Optimizers", "optimizer", optimizers::all());
}

std::string model_help(const std::string& name) {
  const auto text = help_of("model", name, models::all()) +
                    help_of("dataset", name, datasets::all()) +
                    help_of("optimizer", name, optimizers::all());
  if (text.empty()) {
    throw Error(fmt::format("list: found '{}', expected a model, a data set or an optimizer{}",
                            name, did_you_mean(name, all_names())));
  }
  return text;
}

}  // namespace epochcast::libtorch
