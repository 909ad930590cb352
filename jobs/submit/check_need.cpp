#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "jobs/submit/check.hpp"
#include "src/base/process/command.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

/// "does not exist", "cannot be read: ..."; "" if it is there.
std::string missing(const std::string& path) {
  std::error_code error;
  const bool is_there = fs::exists(path, error);
  return error ? "cannot be read: " + error.message() : is_there ? "" : "does not exist";
}

std::optional<Problem> program_problem(const Need& need) {
  if (process::is_executable(need.what)) {
    return std::nullopt;
  }
  const bool is_path = need.what.find('/') != std::string::npos;
  const bool is_there = is_path && missing(need.what).empty();
  return Problem{need.what,
                 fmt::format("the program of 'command:' {} ({})",
                             is_there  ? "is not executable"
                             : is_path ? "does not exist"
                                       : "is not in PATH",
                             need.point),
                 is_there ? fmt::format("run 'chmod +x {}', or name its interpreter first in "
                                        "'command:'",
                                        need.what)
                          : "correct 'command:'"};
}

std::optional<Problem> file_problem(const Need& need) {
  const auto why = missing(need.what);
  const bool is_folder = need.kind == Need::Kind::folder;
  if (why.empty() && is_folder && !fs::is_directory(need.what)) {
    return Problem{need.what, fmt::format("'folder:' is a file ({})", need.point),
                   "correct 'folder:'"};
  }
  if (why.empty()) {
    return std::nullopt;
  }
  return Problem{need.what,
                 fmt::format("{} {} ({})", is_folder ? "'folder:'" : "the input", why, need.point),
                 fmt::format("correct '{}', or make it", is_folder ? "folder:" : "inputs:")};
}

}  // namespace

std::optional<Problem> problem_of(const Need& need) {
  switch (need.kind) {
    case Need::Kind::program:
      return program_problem(need);
    case Need::Kind::folder:
    case Need::Kind::input:
      return file_problem(need);
    case Need::Kind::variable:
      if (std::getenv(need.what.c_str()) == nullptr) {
        return Problem{need.what,
                       fmt::format("the variable of 'environment:' is not set ({})", need.point),
                       fmt::format("run 'export {}=...' before you submit or run", need.what)};
      }
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace epochcast::jobs
