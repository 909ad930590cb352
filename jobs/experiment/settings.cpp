#include "jobs/experiment/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {

const std::string* find_setting(const Settings& settings, std::string_view name) {
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const Setting& setting) { return setting.first == name; });
  return found == settings.rend() ? nullptr : &found->second;
}

Setting parse_setting(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw Error(fmt::format("found '{}', expected KEY=VALUE", text));
  }
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

namespace {

using run::yaml::Node;

Node list(const std::string& text, const std::string& origin) {
  Node node = run::yaml::scalar_node("", origin);
  node.kind = Node::Kind::list;
  for (const auto& part : split(text, ',')) {
    node.list.push_back(run::yaml::scalar_node(std::string(trim(part)), origin));
  }
  return node;
}

}  // namespace

void set_key(Node& document, const std::string& text) {
  constexpr std::string_view prefix = "sweep.";
  auto [key, value] = parse_setting(text);
  const auto origin = "--set " + key;
  const bool flow = value.starts_with('[');
  const bool named = key.starts_with(prefix);
  if (named) {
    key.erase(0, prefix.size());
  }
  const auto* sweep = document.find("sweep");
  const bool own_list = key == "allocations";
  const bool swept =
      !own_list && (named || flow || (sweep != nullptr && sweep->find(key) != nullptr));
  if (!swept) {
    document.place(key) = flow       ? run::yaml::parse_text(value, origin)
                          : own_list ? list(value, origin)
                                     : run::yaml::scalar_node(value, origin);
    return;
  }
  std::erase_if(document.map, [&](const auto& entry) { return entry.first == key; });
  auto& group = document.place("sweep");
  group.kind = Node::Kind::map;
  group.place(key) = flow ? run::yaml::parse_text(value, origin) : list(value, origin);
}

}  // namespace epochcast::jobs
