#include "src/runner/stop_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <utility>

namespace epochcast::runner {

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

std::string StopFile::reason() const {
  std::ifstream file(path_);
  std::string line;
  std::getline(file, line);
  return line;
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
