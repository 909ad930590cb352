#include "jobs/install.hpp"

namespace epochcast::jobs {

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

}  // namespace epochcast::jobs
