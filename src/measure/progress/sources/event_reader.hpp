// From the lines of EPOCHCAST_EVENTS to readings of one process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/progress/sources/event.hpp"
#include "src/measure/progress/sources/line_buffer.hpp"
#include "src/measure/progress/sources/remarks.hpp"
#include "src/measure/progress/sources/source.hpp"

namespace epochcast::progress::sources {

/// Several processes may write. The first one counts, but rank 0 before any that states no rank; so
/// does a new rank 0 that begins a training before the last one has ended (a restart). A training
/// that begins after another, of the same or of any process, counts on: its first epoch follows the
/// last one before. What comes between two trainings is left out. Events that state no epoch are of
/// the one that runs, or ran last; before the first one, of epoch -1.
class EventReader {
 public:
  /// Without `zero` (the file of a former run): times count from the first event's, they may be in
  /// any order, and an event without time is left out.
  explicit EventReader(std::optional<ClockZero> zero) : zero_(zero), live_(zero.has_value()) {}

  /// std::nullopt if the line is damaged, or is of a process that does not count. `now_s`: the time
  /// of an event that has none, or one that cannot be: before the last event or after now.
  std::optional<TimedReading> read(const FileLine& line, double now_s);
  /// The file was truncated or replaced.
  void restarted();

  const Remarks& remarks() const { return remarks_; }
  /// What the program wrote for the record, each text once.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// The process that counts, and whether its training has ended.
  struct Writer {
    std::optional<std::int64_t> pid;
    bool known = false;
    bool is_rank_0 = false;
    bool ended = false;
  };
  std::optional<Event> parse(const FileLine& line);
  void note(const std::string& text);
  void complete(Event& event);
  bool counts(const Event& event, const std::string& place);
  std::optional<double> time_of(const Event& event, double now_s, const std::string& place);

  std::optional<ClockZero> zero_;
  bool live_;
  Remarks remarks_;
  std::vector<std::string> notes_;
  Writer writer_;
  double last_s_ = 0;
  std::optional<std::int64_t> epochs_;  ///< Of train_begin, for the event after it.
  std::int64_t epoch_ = -1;
  bool in_epoch_ = false;
  /// Added to the numbers of this training; empty: its first epoch will tell.
  std::optional<std::int64_t> counted_before_ = 0;
};

}  // namespace epochcast::progress::sources
