#include "src/record/run/short_names.hpp"

#include <map>
#include <utility>

#include "src/base/core/text.hpp"

namespace epochcast::run {
namespace {

std::string model_name(const ParameterValues& parameters) {
  const auto model = parameters.find("model");
  return model == parameters.end() ? "" : model->second;
}

using Like = std::pair<std::string, std::string>;  ///< Kind and model.

Like like(const NamedWork& work) {
  return {work.kind, model_name(work.parameters)};
}

/// The value of a parameter in the first workload that has it, and the number of workloads with the
/// same value.
struct SharedValue {
  std::string value;
  std::size_t count = 0;
};

/// Workloads of the same kind and model.
struct Shared {
  std::size_t count = 0;
  std::map<std::string, SharedValue> parameters = {};
};

/// Whether works of different commands have different names.
bool tell_commands(const std::vector<std::string>& names, const std::vector<NamedWork>& works) {
  std::map<std::pair<Like, std::string>, std::string> commands;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const auto command = works[i].parameters.find("command");
    const auto words = command == works[i].parameters.end() ? std::string() : command->second;
    const auto [known, is_new] = commands.try_emplace({like(works[i]), names[i]}, words);
    if (!is_new && known->second != words) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> differences(const std::vector<NamedWork>& works,
                                     const std::set<std::string, std::less<>>& shown) {
  if (!shown.contains("command")) {
    auto without = shown;
    without.insert("command");
    if (auto names = differences(works, without); tell_commands(names, works)) {
      return names;
    }
  }
  std::map<Like, Shared> shared;
  for (const auto& work : works) {
    auto& [count, parameters] = shared[like(work)];
    ++count;
    for (const auto& [name, value] : work.parameters) {
      auto& first = parameters.try_emplace(name, SharedValue{value}).first->second;
      first.count += value == first.value ? 1 : 0;
    }
  }
  std::vector<std::string> names;
  for (const auto& work : works) {
    const auto& [count, parameters] = shared.at(like(work));
    std::vector<std::string> own;
    for (const auto& [name, value] : work.parameters) {
      if (!shown.contains(name) && parameters.at(name).count < count) {
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
    const auto model = model_name(works[i].parameters);
    names[i] = model + (model.empty() || names[i].empty() ? "" : " ") + names[i];
  }
  return names;
}

}  // namespace epochcast::run
