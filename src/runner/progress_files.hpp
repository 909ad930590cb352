// What the program tells about its progress in files, beside its output.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/measure/progress/sources/source.hpp"

namespace epochcast::runner {

/// Events (EPOCHCAST_EVENTS) and metrics (--metrics). Once there are events, files of metrics no
/// longer tell epochs and steps.
class ProgressFiles {
 public:
  /// Before the program starts: what is in the files then is of an earlier run. Empty paths: none.
  ProgressFiles(const std::string& events, const std::string& metrics,
                const progress::sources::ClockZero& zero);

  /// What is new, in the order of the times.
  std::vector<progress::sources::TimedReading> read(double now_s) { return all(now_s, false); }
  /// All the rest: the program has ended.
  std::vector<progress::sources::TimedReading> finish(double now_s) { return all(now_s, true); }
  /// Where the readings are from: "events" or "metrics".
  std::string source() const { return has_events_ ? "events" : "metrics"; }
  /// What was damaged, a line a kind.
  std::vector<std::string> remarks() const;

 private:
  std::vector<progress::sources::TimedReading> all(double now_s, bool ended);

  std::unique_ptr<progress::sources::Source> events_;
  std::unique_ptr<progress::sources::Source> metrics_;
  bool has_events_ = false;
  double last_s_ = 0;
};

}  // namespace epochcast::runner
