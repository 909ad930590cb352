#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "jobs/cluster/cluster.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using run::yaml::Node;

Node group_at(const std::string& origin) {
  Node group;
  group.kind = Node::Kind::map;
  group.file = origin;
  group.line = 1;
  return group;
}

/// The values in the user's file for the profile `name`.
Node own_values(const std::string& name) {
  const char* home = std::getenv("HOME");
  const auto file = fs::path(home == nullptr ? "" : home) / ".config/epochcast/sites.yaml";
  std::error_code ignored;
  if (home == nullptr || !fs::exists(file, ignored)) {
    return group_at("--site");
  }
  const auto sites = run::yaml::parse_file(file);
  const auto* own = sites.as_map("groups of keys by names of profiles").find(name);
  return own == nullptr ? group_at("--site") : own->as_map("a group of keys");
}

}  // namespace

std::string add_overrides(Node& profile, const SiteSettings& settings) {
  auto overrides = own_values(fs::path(profile.file).stem());
  for (const auto& [key, value] : settings) {
    const auto origin = "--site " + key;
    const auto node = value.starts_with('[') ? run::yaml::parse_text(value, origin)
                                             : run::yaml::scalar_node(value, origin);
    const auto dot = key.rfind('.');
    if (dot == std::string::npos) {
      overrides.place(key) = node;
      continue;
    }
    auto& group = overrides.place(key.substr(0, dot));
    if (group.kind != Node::Kind::map) {
      group = group_at(origin);
    }
    group.place(key.substr(dot + 1)) = node;
  }
  if (overrides.map.empty()) {
    return "";
  }
  if (const auto* found = profile.find("overrides")) {
    throw found->error(
        "this profile has 'overrides' already, so neither --site nor sites.yaml can add to them; "
        "change them here");
  }
  profile.map.emplace_back("overrides", overrides);
  return fmt::format("\n# The user's own values, from sites.yaml and --site.\noverrides: {}\n",
                     run::yaml::flow_text(overrides));
}

}  // namespace epochcast::jobs
