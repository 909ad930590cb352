#include "src/runner/stop_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace epochcast::runner {

StopFile::StopFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

StopFile::~StopFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void StopFile::create(const std::string& reason) const {
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) {
    const std::string line = reason + "\n";
    [[maybe_unused]] const auto written = write(file, line.data(), line.size());
    close(file);
  }
}

}  // namespace epochcast::runner
