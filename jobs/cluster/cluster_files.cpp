#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "jobs/cluster/cluster.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

/// The folders that are searched for a profile, nearest to the user first.
std::vector<fs::path> cluster_folders() {
  std::vector<fs::path> folders;
  if (const char* own = std::getenv("EPOCHCAST_CLUSTERS")) {
    for (const auto& folder : split(own, ':')) {
      folders.emplace_back(folder);
    }
  }
  if (const char* home = std::getenv("HOME")) {
    folders.push_back(fs::path(home) / ".config/epochcast/clusters");
  }
  folders.push_back(installed_data("clusters", "jobs/clusters"));
  return folders;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> known_clusters() {
  std::vector<std::pair<std::string, std::string>> known;
  for (const auto& folder : cluster_folders()) {
    std::vector<std::pair<std::string, std::string>> here;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const auto name = entry.path().stem().string();
      const bool hidden =
          std::any_of(known.begin(), known.end(), [&](const auto& k) { return k.first == name; });
      if (entry.path().extension() == ".yaml" && !hidden) {
        here.emplace_back(name, entry.path());
      }
    }
    std::sort(here.begin(), here.end());
    known.insert(known.end(), here.begin(), here.end());
  }
  return known;
}

std::string find_cluster_file(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml")) {
    return name_or_path;
  }
  std::vector<std::string> names;
  for (const auto& [name, file] : known_clusters()) {
    if (name == name_or_path) {
      return file;
    }
    names.push_back(name);
  }
  throw Error(
      fmt::format("unknown cluster '{}'{}", name_or_path, did_you_mean(name_or_path, names)));
}

}  // namespace epochcast::jobs
