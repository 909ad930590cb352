// The container that the program of an allocation runs in.
#pragma once

#include <string>
#include <vector>

#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::jobs {

struct Container {
  std::string runtime;
  std::string image;
  std::string gpu = "auto";
  std::vector<std::string> binds;    ///< "SOURCE:TARGET[:ro]", or "PATH" for the same path inside.
  std::vector<std::string> options;  ///< Further options of the runtime.

  bool is_used() const { return !runtime.empty(); }
  bool operator==(const Container&) const = default;
};

constexpr auto fields_of(Tag<Container>) {
  return FieldTable{
      Field{"runtime", "1",
            "Program that starts the container; pyxis: srun does, with --container-image",
            &Container::runtime, "apptainer|singularity|charliecloud|podman|pyxis"},
      Field{"image", "1",
            "File (apptainer), folder (charliecloud), name (podman), file or URI (pyxis); a "
            "relative path is relative to the profile's folder",
            &Container::image},
      Field{"gpu", "1", "Whether the container sees the GPUs; auto: if the allocation has GPUs",
            &Container::gpu, "auto|true|false"},
  };
}

/// Reads `container: {runtime: ..., image: ..., binds: [...], ...}` into `container`; keys
/// that are not given keep their value. `container: none` removes it. Throws Error with file and
/// line.
void read_container(const run::yaml::Node& node, Container& container);

/// Throws Error "container.image is missing ..." unless the container is complete, or not used.
/// `local`: there is no Slurm, so no pyxis.
void check_container(const Container& container, bool local);

/// Makes a relative path of an image file absolute; `folder` is the folder of the profile.
void resolve_image(Container& container, const std::string& folder);

/// The keys, as "container.image".
std::vector<cli::KeyRow> container_keys();

}  // namespace epochcast::jobs
