#include "src/run/short_names.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "src/core/text.hpp"

namespace epochcast {
namespace {

std::string model_of(const ParameterValues& parameters) {
  const auto model = parameters.find("model");
  return model == parameters.end() ? "" : model->second;
}

}  // namespace

std::vector<std::string> differences(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown) {
  using Like = std::pair<std::string, std::string>;  // kind and model
  const auto like = [](const NamedWork& work) {
    return Like{work.kind, model_of(work.parameters)};
  };
  std::map<Like, std::size_t> of_model;
  std::map<std::tuple<Like, std::string, std::string>, std::size_t> with_value;
  for (const auto& work : works) {
    ++of_model[like(work)];
    for (const auto& [name, value] : work.parameters) {
      ++with_value[{like(work), name, value}];
    }
  }
  std::vector<std::string> names;
  for (const auto& work : works) {
    std::vector<std::string> own;
    for (const auto& [name, value] : work.parameters) {
      if (!shown.contains(name) && with_value[{like(work), name, value}] < of_model[like(work)]) {
        own.push_back((name.starts_with("model.") ? name.substr(6) : name) + "=" + value);
      }
    }
    names.push_back(join(own, " "));
  }
  return names;
}

std::vector<std::string> short_names(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown) {
  auto names = differences(works, shown);
  for (std::size_t i = 0; i < works.size(); ++i) {
    const auto model = model_of(works[i].parameters);
    names[i] = model + (model.empty() || names[i].empty() ? "" : " ") + names[i];
  }
  return names;
}

}  // namespace epochcast
