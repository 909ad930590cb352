// The secret that the ranks of a run share: a file beside the run that only its user can read.
#pragma once

#include <filesystem>
#include <string>

namespace epochcast::ranks {

/// Whoever is first creates the file, with mode 600; the others wait for its content. Its folder is
/// one that all ranks share.
class RunSecret {
 public:
  /// Reads the file, or creates it and its folder. Throws RunError if the file belongs to another
  /// user, others may use it, it is a link, or it cannot be written.
  RunSecret(std::filesystem::path file, bool removes_file);
  /// Removes the file if it was told to: once all ranks are connected, nobody needs it.
  ~RunSecret();
  RunSecret(RunSecret&&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::filesystem::path file_;
  bool removes_file_;
  std::string text_;
};

}  // namespace epochcast::ranks
