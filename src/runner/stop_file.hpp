// The file whose existence asks the program to save its state and end: EPOCHCAST_STOP_FILE.
#pragma once

#include <filesystem>
#include <string>

namespace epochcast::runner {

class StopFile {
 public:
  /// Removes a file that an earlier attempt left.
  explicit StopFile(std::filesystem::path path);
  ~StopFile();
  StopFile(const StopFile&) = delete;
  StopFile& operator=(const StopFile&) = delete;

  /// Creates it with one line that tells the reason. Never fails: the signal still reaches the
  /// program. May be called by any thread, again and again.
  void create(const std::string& reason) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace epochcast::runner
