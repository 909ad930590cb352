#include "src/base/core/install.hpp"

#include <errno.h>
#include <fmt/format.h>

#include "src/base/core/error.hpp"

namespace epochcast {

namespace fs = std::filesystem;

namespace {

/// PREFIX of PREFIX/lib/epochcast/ld-linux-x86-64.so.2; empty if no such loader runs.
fs::path archive() {
  const auto running = fs::read_symlink("/proc/self/exe");
  return running.filename().string().starts_with("ld-linux")
             ? running.parent_path().parent_path().parent_path()
             : fs::path();
}

}  // namespace

fs::path program_file() {
  const auto prefix = archive();
  if (prefix.empty()) {
    return fs::read_symlink("/proc/self/exe");
  }
  const auto programs = prefix / "libexec/epochcast";
  const std::string name = program_invocation_short_name;  // the launcher sets it
  return fs::exists(programs / name) ? programs / name : programs;
}

fs::path program_folder() {
  const auto prefix = archive();
  return prefix.empty() ? program_file().parent_path() : prefix / "bin";
}

std::string program_beside(const std::string& name) {
  return program_folder() / name;
}

fs::path installed_data(const std::string& name, const std::string& source_path) {
  const auto program = program_file();
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
