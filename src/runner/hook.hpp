// --hook: what a hook in a Python program tells (python/epochcast/_hook.py), beside its output.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/measure/progress/recognizer/recognizer.hpp"
#include "src/measure/progress/rows/merge.hpp"
#include "src/measure/progress/sources/source.hpp"

namespace epochcast::runner {

/// What a Python program finds the hook by, which writes to the file `path`: PYTHONPATH, with the
/// user's own after it. Throws RunError if the hook is not installed.
std::map<std::string, std::string> hook_environment(const std::string& path);

/// Whether a command starts Python, as far as its words show: python3, torchrun, train.py.
bool is_python(const std::vector<std::string>& command);

/// Not thread-safe.
class HookedProgress {
 public:
  HookedProgress(const std::string& path, const progress::sources::ClockZero& zero);

  /// What the hook has written since the last call.
  void read(double now_s, bool ended);
  /// The rows to record, given the new rows of the output, or of the program's own events.
  progress::Rows merged(progress::Rows output, bool are_events, bool ended);
  progress::Position position(const progress::Position& output) const;
  /// Whether the epochs in the record are the hook's.
  bool is_recorded() const { return merge_.from() == progress::Merge::From::hook; }
  /// After the end: what the hook noted, what it and the output tell differently, and that no
  /// Python has loaded it.
  std::vector<std::string> remarks() const;

 private:
  std::string path_;
  std::unique_ptr<progress::sources::Source> source_;
  progress::Recognizer rows_{{.format = "none"}};
  progress::Merge merge_;
};

}  // namespace epochcast::runner
