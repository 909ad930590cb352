#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "jobs/cluster/cluster.hpp"
#include "src/base/config/yaml_group.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using run::yaml::Node;

/// A bind becomes a word, or a part of a list with commas.
std::string bind_of(const Node& node) {
  const auto& text = node.text();
  const auto parts = split(text, ':');
  const bool is_complete =
      std::ranges::none_of(parts, [](const std::string& part) { return part.empty(); });
  if (text.empty() || !is_complete || parts.size() > 3 ||
      (parts.size() == 3 && parts[2] != "ro" && parts[2] != "rw") ||
      text.find_first_of(",\n\r") != std::string::npos) {
    throw node.error(fmt::format(
        "container.binds: found '{}', expected SOURCE:TARGET, SOURCE:TARGET:ro or PATH", text));
  }
  return text;
}

}  // namespace

void read_container(const Node& node, Container& container) {
  const auto read_binds = [&](const Node& value) {
    container.binds.clear();
    for (const auto& item : value.items()) {
      container.binds.push_back(bind_of(item));
    }
  };
  const auto read_options = [&](const Node& value) { container.options = value.lines(); };
  run::yaml::read_group(node,
                        {.name = "container",
                         .example = "{runtime: apptainer, image: /x.sif}",
                         .lists = {{"binds", read_binds}, {"options", read_options}}},
                        container);
}

void check_container(const Container& container, bool local) {
  if (!container.is_used()) {
    if (container != Container{}) {
      throw Error("container.runtime is missing. Add 'runtime: apptainer' or another runtime");
    }
    return;
  }
  if (container.image.empty()) {
    throw Error("container.image is missing. Add 'image: /path/epochcast.sif'");
  }
  if (local && container.runtime == "pyxis") {
    throw Error(
        "container.runtime: pyxis is a part of Slurm's srun; with 'scheduler: local' use "
        "apptainer, charliecloud or podman");
  }
}

void resolve_image(Container& container, const std::string& folder) {
  auto& image = container.image;
  const bool is_path = image.find('/') != std::string::npos || image.ends_with(".sif");
  const bool names_a_file = container.runtime != "podman" && container.runtime != "pyxis";
  if (names_a_file && is_path && !image.starts_with('/') &&
      image.find("://") == std::string::npos) {
    image = absolute_path(std::filesystem::path(folder) / image).lexically_normal();
  }
}

std::vector<cli::KeyRow> container_keys() {
  auto rows = cli::group_rows<Container>("container", "The container that the program runs in");
  rows.push_back({"container.binds", "list", "", "1",
                  "Folders that the container sees: SOURCE:TARGET, SOURCE:TARGET:ro or PATH; the "
                  "output folder is always visible"});
  rows.push_back({"container.options", "list", "", "1",
                  "Further options of the runtime, such as [--cleanenv]"});
  return rows;
}

}  // namespace epochcast::jobs
