#include "src/base/core/open_file.hpp"

#include <string>
#include <system_error>

namespace epochcast {

namespace fs = std::filesystem;

bool is_open_file(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path.parent_path(), ignored).string().starts_with("/proc/");
}

fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // as in the kernel
  for (int links = 0; links < most_links && !is_open_file(path); ++links) {
    std::error_code no_link;
    const auto to = fs::read_symlink(path, no_link);
    if (no_link) {
      break;
    }
    path = path.parent_path() / to;
  }
  return path;
}

}  // namespace epochcast
