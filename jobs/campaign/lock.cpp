#include "jobs/campaign/lock.hpp"

#include <fmt/format.h>

#include "src/base/core/error.hpp"

namespace epochcast::jobs {

FolderLock::FolderLock(const std::filesystem::path& path, const char* what,
                       FileLock::Inherit inherit, double timeout_s)
    : lock_(path, inherit) {
  if (!lock_.try_lock_for(timeout_s)) {
    throw RunError(fmt::format("{}: another 'epochcast-jobs {}' is active here",
                               path.parent_path().string(), what));
  }
}

}  // namespace epochcast::jobs
