#include "src/runner/stop_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <string_view>
#include <utility>

namespace epochcast::runner {
namespace {

constexpr std::string_view pilot_mark = "pilot_done";

}  // namespace

StopFile::StopFile(std::filesystem::path path, bool owns) : path_(std::move(path)), owns_(owns) {
  remove();
}

StopFile::~StopFile() {
  remove();
}

void StopFile::remove() const {
  if (owns_) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
}

StopRequest StopFile::request() const {
  std::ifstream file(path_);
  StopRequest request;
  std::string mark;
  std::getline(file, request.reason);
  request.pilot_done = std::getline(file, mark) && mark == pilot_mark;
  return request;
}

void StopFile::create(const StopRequest& request) const {
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) {
    const auto lines = fmt::format("{}\n{}{}", request.reason, request.pilot_done ? pilot_mark : "",
                                   request.pilot_done ? "\n" : "");
    [[maybe_unused]] const auto written = write(file, lines.data(), lines.size());
    close(file);
  }
}

}  // namespace epochcast::runner
