// The file whose existence asks the program to save its state and end: EPOCHCAST_STOP_FILE.
#pragma once

#include <filesystem>
#include <string>

namespace epochcast::runner {

class StopFile {
 public:
  /// Of several ranks, one owns it: removes a file that an earlier attempt left, and at the end.
  StopFile(std::filesystem::path path, bool owns);
  ~StopFile();
  StopFile(const StopFile&) = delete;
  StopFile& operator=(const StopFile&) = delete;

  /// Creates it with one line that tells the reason. Never fails: the signal still reaches the
  /// program. May be called by any thread, again and again.
  void create(const std::string& reason) const;
  const std::filesystem::path& path() const { return path_; }
  /// The reason in the file; "" if there is none.
  std::string reason() const;

 private:
  void remove() const;

  std::filesystem::path path_;
  bool owns_;
};

}  // namespace epochcast::runner
