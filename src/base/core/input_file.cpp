#include "src/base/core/input_file.hpp"

#include "src/base/core/error.hpp"
#include "src/base/core/open_file.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {

void require_no_pipe(const std::string& path) {
  std::error_code unclear;
  if (std::filesystem::is_fifo(path, unclear) && !is_open_file(path) &&
      !is_open_file(behind_links(path))) {
    throw Error(path + ": found a named pipe, expected a file (/dev/stdin reads from a pipe)");
  }
}

void require_no_stand_in(const std::string& path, std::string_view head) {
  constexpr std::size_t enough = 200;
  const auto start = to_lower(trim(head.substr(0, enough)));
  if (start.starts_with("version https://git-lfs.github.com/spec/")) {
    throw Error(path +
                ": found a Git LFS pointer, not the file itself; `git lfs pull` in its folder "
                "fetches the file");
  }
  if (start.starts_with("<!doctype html") || start.starts_with("<html")) {
    throw Error(path +
                ": found an HTML page, not the file itself; the download saved the page of a web "
                "site: use the address of the file");
  }
}

}  // namespace epochcast
