#include "src/base/core/pending_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast {
namespace {

/// A group that cannot be kept must not give its rights to another one.
void keep_owner_and_mode(int file, const struct stat& old) {
  constexpr mode_t rights = 0777;
  constexpr mode_t group_rights = 0070;
  const bool has_group = fchown(file, static_cast<uid_t>(-1), old.st_gid) == 0;
  [[maybe_unused]] const int only_root_can = fchown(file, old.st_uid, static_cast<gid_t>(-1));
  fchmod(file, old.st_mode & (has_group ? rights : rights & ~group_rights));
}

}  // namespace

PendingFile::PendingFile(const std::string& path, const std::string& suffix)
    : path_(path), target_(behind_links(path)) {
  struct stat old {};
  const bool exists = stat(path_.c_str(), &old) == 0;
  require(exists || errno == ENOENT);
  if (exists && (!S_ISREG(old.st_mode) || is_open_file(target_))) {  // whose owner goes on writing
    descriptor_ = Descriptor(open(path_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
    require(descriptor_.number() >= 0);
    return;
  }
  require(!exists || faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) == 0);
  beside_ = target_ + suffix;
  open_beside(exists ? old.st_mode & 0600 : 0666);
  if (exists) {
    keep_owner_and_mode(descriptor_.number(), old);
  }
}

PendingFile::~PendingFile() {
  if (!beside_.empty()) {
    unlink(beside_.c_str());
  }
}

/// A file that a killed program left there is removed; a link is not followed.
void PendingFile::open_beside(mode_t mode) {
  const auto create = [&] {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    descriptor_ = Descriptor(open(beside_.c_str(), flags, mode));
    return descriptor_.number() >= 0;
  };
  if (!create()) {
    require(errno == EEXIST && unlink(beside_.c_str()) == 0 && create());
  }
}

void PendingFile::write(std::string_view bytes) {
  require(write_all(descriptor_.number(), bytes));
}

void PendingFile::replace() {
  // Some file systems do not support fsync.
  require(fsync(descriptor_.number()) == 0 || errno == EINVAL || errno == EROFS);
  rename();
}

void PendingFile::rename() {
  require(close(descriptor_.release()) == 0);  // some file systems report a full disk only here
  require(beside_.empty() || std::rename(beside_.c_str(), target_.c_str()) == 0);
  beside_.clear();
}

void PendingFile::require(bool done) const {
  if (!done) {
    throw RunError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
  }
}

}  // namespace epochcast
