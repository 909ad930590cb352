// The file whose existence asks the program to save its state and end: EPOCHCAST_STOP_FILE.
#pragma once

#include <filesystem>
#include <string>

namespace epochcast::runner {

/// A request to end. The file has the reason in its first line, for people, and the mark
/// "pilot_done" in a second line if so.
struct StopRequest {
  std::string reason;
  bool pilot_done = false;  ///< The epochs or the time of a pilot are done.
};

class StopFile {
 public:
  /// Of several ranks, one owns it: removes a file that an earlier attempt left, and at the end.
  StopFile(std::filesystem::path path, bool owns);
  ~StopFile();
  StopFile(StopFile&&) = delete;

  /// Creates it, unless it exists. Never fails: the signal still reaches the program. May be called
  /// by any thread, again and again.
  void create(const StopRequest& request) const;
  void remove() const;  ///< By its owner; others keep it.
  const std::filesystem::path& path() const { return path_; }
  /// What the file asks; without a file, an empty reason.
  StopRequest request() const;

 private:
  std::filesystem::path path_;
  bool owns_;
};

}  // namespace epochcast::runner
