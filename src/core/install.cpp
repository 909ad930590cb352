#include "src/core/install.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace epochcast {

namespace fs = std::filesystem;

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

std::string program_beside(const std::string& name) {
  return program_folder() / name;
}

fs::path installed_data(const std::string& name, const std::string& source_path) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  for (auto folder = program.parent_path(); folder != folder.parent_path();
       folder = folder.parent_path()) {
    for (const auto& candidate : {folder / "share/epochcast" / name, folder / source_path}) {
      if (fs::exists(candidate)) {
        return candidate;
      }
    }
  }
  throw RunError(fmt::format("no share/epochcast/{} above {}: is the installation whole?", name,
                             program.string()));
}

}  // namespace epochcast
