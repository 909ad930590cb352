#include "src/core/install.hpp"

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace epochcast {

namespace fs = std::filesystem;

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

std::vector<fs::path> shared_folders() {
  const auto bin = program_folder();
  std::vector<fs::path> folders{bin.parent_path() / "share/epochcast"};
  const auto source = bin.parent_path().parent_path().parent_path();  // <source>/build/<preset>/bin
  if (fs::exists(source / "jobs/clusters")) {
    folders.push_back(source / "jobs");
  }
  return folders;
}

std::string program_beside(const std::string& name) {
  return program_folder() / name;
}

std::filesystem::path data_folder(const std::string& name, const std::string& source_path) {
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
