#include "src/core/pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "src/core/error.hpp"

namespace epochcast {
namespace {

constexpr mode_t mode = 0666;

}  // namespace

PendingFile::PendingFile(const std::string& path, const std::string& beside)
    : path_(path),
      beside_(beside),
      descriptor_(open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)) {
  require(descriptor_.number() >= 0);
}

PendingFile::~PendingFile() {
  if (!replaced_) {
    unlink(beside_.c_str());
  }
}

void PendingFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_.number(), bytes.data(), bytes.size());
    require(written > 0 || errno == EINTR);
    bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

void PendingFile::replace() {
  // Some file systems do not support fsync.
  require(fsync(descriptor_.number()) == 0 || errno == EINVAL || errno == EROFS);
  rename();
}

void PendingFile::rename() {
  require(close(descriptor_.release()) == 0);  // some file systems report a full disk only here
  require(std::rename(beside_.c_str(), path_.c_str()) == 0);
  replaced_ = true;
}

void PendingFile::require(bool done) const {
  if (!done) {
    throw RunError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
  }
}

}  // namespace epochcast
