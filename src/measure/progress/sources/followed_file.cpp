#include "src/measure/progress/sources/followed_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace epochcast::progress::sources {
namespace {

constexpr std::size_t remembered = 256;

std::string bytes_at(int file, std::int64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  const auto got = pread(file, bytes.data(), count, offset);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

}  // namespace

/// Opens what is at the path, if that is another file than before. Returns whether it is.
bool FollowedFile::open_again() {
  struct stat at_path {};
  if (stat(path_.c_str(), &at_path) != 0 || !S_ISREG(at_path.st_mode)) {
    return false;  // what was open stays open: a program may remove the name before it writes on
  }
  if (file_.number() >= 0 && at_path.st_dev == device_ && at_path.st_ino == inode_) {
    return false;
  }
  // Not blocking: the file may have become a pipe since.
  Descriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat opened {};
  if (file.number() < 0 || fstat(file.number(), &opened) != 0 || !S_ISREG(opened.st_mode)) {
    return false;
  }
  const bool replaced = was_open_;
  file_ = std::move(file);
  device_ = opened.st_dev;
  inode_ = opened.st_ino;
  offset_ = 0;
  was_open_ = true;
  return replaced;
}

/// Whether the file was truncated and written again, so that it is now as long as before or longer.
bool FollowedFile::rewritten() const {
  const auto before = offset_ - static_cast<std::int64_t>(tail_.size());
  return bytes_at(file_.number(), 0, head_.size()) != head_ ||
         bytes_at(file_.number(), before, tail_.size()) != tail_;
}

void FollowedFile::skip() {
  open_again();
  struct stat now {};
  if (file_.number() >= 0 && fstat(file_.number(), &now) == 0) {
    offset_ = now.st_size;
    const auto size = static_cast<std::size_t>(now.st_size);
    head_ = bytes_at(file_.number(), 0, std::min(size, remembered));
    tail_ =
        bytes_at(file_.number(), offset_ - static_cast<std::int64_t>(head_.size()), head_.size());
  }
}

Growth FollowedFile::read(std::size_t most) {
  Growth growth;
  growth.restarted = open_again();
  struct stat now {};
  if (file_.number() < 0 || fstat(file_.number(), &now) != 0) {
    return growth;
  }
  if (now.st_size < offset_ || rewritten()) {
    growth.restarted = true;
  }
  if (growth.restarted) {
    offset_ = 0;
    head_.clear();
    tail_.clear();
  }
  growth.written_since_1970_s =
      static_cast<double>(now.st_mtim.tv_sec) + static_cast<double>(now.st_mtim.tv_nsec) * 1e-9;
  const auto left = static_cast<std::size_t>(now.st_size - offset_);
  growth.bytes = bytes_at(file_.number(), offset_, std::min(left, most));
  offset_ += static_cast<std::int64_t>(growth.bytes.size());
  head_ += growth.bytes.substr(0, remembered - std::min(remembered, head_.size()));
  tail_ += growth.bytes;
  tail_.erase(0, tail_.size() - std::min(remembered, tail_.size()));
  growth.more = !growth.bytes.empty() && offset_ < now.st_size;
  return growth;
}

}  // namespace epochcast::progress::sources
