#include "src/torch/catalogue.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/torch/model.hpp"

namespace epochcast {
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

}  // namespace

std::string catalogue_json() {
  Json all{{"models", entries(models::all())},
           {"datasets", entries(datasets::all())},
           {"optimizers", entries(optimizers::all())}};
  for (const auto& [name, model] : models::all()) {
    all["models"][name]["optimizer"] = model.optimizer.name;
  }
  return all.dump(2) + "\n";
}

std::string catalogue_text() {
  return lines("model", models::all()) + lines("data set", datasets::all()) +
         lines("optimizer", optimizers::all());
}

}  // namespace epochcast
