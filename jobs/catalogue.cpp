#include "jobs/catalogue.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "jobs/files.hpp"
#include "jobs/install.hpp"
#include "src/core/error.hpp"
#include "src/core/registry.hpp"
#include "src/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

using nlohmann::json;

std::map<std::string, std::vector<OptionSpec>> read_owners(const json& owners) {
  std::map<std::string, std::vector<OptionSpec>> specs;
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

}  // namespace

Catalogue read_catalogue(const std::string& path) {
  try {
    const auto document = json::parse(read_file(path));
    return {read_owners(document.at("models")), read_owners(document.at("datasets"))};
  } catch (const json::exception& error) {
    throw Error(fmt::format("{}: is not a catalogue of models: {}", path, error.what()));
  }
}

std::optional<Catalogue> find_catalogue() {
  for (const auto& folder : shared_folders()) {
    if (const auto path = folder / "models.json"; std::filesystem::exists(path)) {
      return read_catalogue(path);
    }
  }
  return std::nullopt;
}

void check_options(const std::vector<Point>& points, const Catalogue& catalogue) {
  std::set<std::pair<std::string, OptionValues>> models, datasets;  // many points, few combinations
  for (const auto& point : points) {
    if (!point.command.empty()) {
      return;
    }
    const auto config = run_config_from(point.parameters);
    if (models.emplace(config.model, config.model_options).second) {
      complete_options(config.model_options, find_entry(catalogue.models, "model", config.model),
                       "model", config.model);
    }
    if (datasets.emplace(config.dataset, config.dataset_options).second) {
      complete_options(config.dataset_options,
                       find_entry(catalogue.datasets, "data set", config.dataset), "dataset",
                       config.dataset);
    }
  }
}

}  // namespace epochcast::jobs
