#include "src/core/data_folder.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace epochcast {

std::filesystem::path data_folder(const std::string& name, const std::string& source_path) {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  for (auto folder = program.parent_path(); folder != folder.parent_path();
       folder = folder.parent_path()) {
    for (const auto& candidate : {folder / "share/epochcast" / name, folder / source_path}) {
      if (fs::is_directory(candidate)) {
        return candidate;
      }
    }
  }
  throw RunError(fmt::format("no share/epochcast/{} above {}: is the installation whole?", name,
                             program.string()));
}

}  // namespace epochcast
