// Replaces a file as a whole.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "src/base/core/descriptor.hpp"

namespace epochcast {

/// The new content of the file at `path`, written beside it under the name PATH + `suffix`, which
/// is removed unless it has taken the name. A file that is replaced keeps its mode, and its owner
/// and group where the system permits it; a link stays, and its target is replaced. A device, a
/// pipe or an open file (/dev/stdout) is written as it is. All functions throw RunError "PATH:
/// cannot be written: reason".
class PendingFile {
 public:
  explicit PendingFile(const std::string& path, const std::string& suffix = ".new");
  PendingFile(PendingFile&&) = delete;
  ~PendingFile();

  void write(std::string_view bytes);

  /// Syncs the new file to disk before it takes the name, so that after a power failure either the
  /// old or the new file exists.
  void replace();

  /// Only takes the name.
  void rename();

 private:
  void require(bool done) const;
  void open_beside(mode_t mode);

  std::string path_;
  std::string target_;  ///< After the links of `path_`.
  std::string beside_;  ///< "": written in place, or renamed.
  Descriptor descriptor_{-1};
};

}  // namespace epochcast
