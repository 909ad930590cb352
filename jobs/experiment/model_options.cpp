#include "jobs/experiment/model_options.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/registry.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

using nlohmann::json;

OptionsByName read_owners(const json& owners) {
  OptionsByName specs;
  for (const auto& [owner, entry] : owners.items()) {
    auto& options = specs[owner];
    for (const auto& option : entry.at("options")) {
      options.push_back({option.at("name"), option.at("type"), option.at("default"),
                         option.value("unit", "1"), option.value("meaning", ""),
                         option.value("allowed", "")});
    }
  }
  return specs;
}

std::map<std::string, std::string> read_published_optimizers(const json& models) {
  std::map<std::string, std::string> published;
  for (const auto& [model, entry] : models.items()) {
    published[model] = entry.at("optimizer");
  }
  return published;
}

/// Checks every choice (name and options) once, as many points share few choices.
class ChoiceCheck {
 public:
  ChoiceCheck(const OptionsByName& known, std::string_view kind) : known_(known), kind_(kind) {}

  void operator()(const std::string& name, const run::OptionValues& options) {
    if (seen_.emplace(name, options).second) {
      run::complete_options(options, find_entry(known_, kind_, name), kind_, name);
    }
  }

 private:
  const OptionsByName& known_;
  std::string_view kind_;
  std::set<std::pair<std::string, run::OptionValues>> seen_;
};

}  // namespace

Catalogue read_catalogue(const std::string& path) {
  try {
    const auto document = json::parse(read_file(path));
    const auto& models = document.at("models");
    return {read_owners(models), read_owners(document.at("datasets")),
            read_owners(document.at("optimizers")), read_published_optimizers(models)};
  } catch (const json::exception& error) {
    throw Error(fmt::format("{}: is not a catalogue of models: {}", path, error.what()));
  }
}

Catalogue installed_catalogue() {
  return read_catalogue(installed_data("models.json", "docs/reference/models.json"));
}

std::vector<std::string> path_parameters(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for_each_field<run::RunConfig>([&](const auto& field) {
    if (is_path(field.allowed)) {
      names.emplace_back(field.name);
    }
  });
  std::set<std::string> of_options;
  for (const auto& [prefix, owners] : catalogue.by_prefix()) {
    for (const auto& [owner, options] : *owners) {
      for (const auto& option : options) {
        if (is_path(option.allowed)) {
          of_options.insert(std::string(prefix) + option.name);
        }
      }
    }
  }
  names.insert(names.end(), of_options.begin(), of_options.end());
  return names;
}

void check_options(const std::vector<Point>& points, const Catalogue& catalogue) {
  ChoiceCheck model(catalogue.models, "model");
  ChoiceCheck dataset(catalogue.datasets, "dataset");
  ChoiceCheck optimizer(catalogue.optimizers, "optimizer");
  for (const auto& point : points) {
    if (point.program.is_given()) {
      return;
    }
    const auto config = run::run_config_from(point.parameters);
    model(config.model, config.model_options);
    dataset(config.dataset, config.dataset_options);
    optimizer(config.optimizer.empty() ? catalogue.published_optimizers.at(config.model)
                                       : config.optimizer,
              config.optimizer_options);
  }
}

}  // namespace epochcast::jobs
