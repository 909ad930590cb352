// From the lines of EPOCHCAST_EVENTS to readings of one process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/line_buffer.hpp"
#include "src/measure/progress/sources/event.hpp"
#include "src/measure/progress/sources/remarks.hpp"
#include "src/measure/progress/sources/source.hpp"

namespace epochcast::progress::sources {

/// Whose events count. The first process that writes does, but rank 0 before any that states no
/// rank; so does a new rank 0 that begins a training before the last one has ended (a restart).
class EventWriter {
 public:
  /// Why the event does not count; empty: it does.
  std::string_view objection(const Event& event) const;
  /// Whether a training that begins with the event comes after the one before it.
  bool goes_on(const Event& event) const { return ended_ || event.pid == pid_; }
  /// From an event on that counts.
  void take(const Event& event);
  /// Its training has ended.
  bool ended() const { return ended_; }

 private:
  std::optional<std::int64_t> pid_;
  bool known_ = false;
  bool is_rank_0_ = false;
  bool ended_ = false;
};

/// The epochs of all trainings, counted on: the first one of a training that goes on follows the
/// last one before. Events that state no epoch are of the one that runs, or ran last; before the
/// first one, of epoch -1.
class EventEpochs {
 public:
  /// A training of so many epochs begins; `goes_on`: after the one before it.
  void begin(std::optional<std::int64_t> epochs, bool goes_on);
  /// Another training has begun, and none of its epochs: what is evaluated is of no epoch.
  bool between() const { return !counted_before_; }
  /// Sets what the event does not state, and counts its epoch on.
  void complete(Event& event);

 private:
  std::optional<std::int64_t> epochs_;  ///< As the training began, for the event after it.
  std::int64_t epoch_ = -1;
  bool in_epoch_ = false;
  /// Added to the numbers of this training; empty: its first epoch will tell.
  std::optional<std::int64_t> counted_before_ = 0;
};

/// What comes between two trainings is left out.
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
  std::optional<Event> parse(const FileLine& line);
  void note(const std::string& text);
  bool counts(const Event& event, const std::string& place);
  std::optional<double> time_of(const Event& event, double now_s, const std::string& place);

  std::optional<ClockZero> zero_;
  bool live_;
  Remarks remarks_;
  std::vector<std::string> notes_;
  EventWriter writer_;
  EventEpochs epochs_;
  double last_s_ = 0;
};

}  // namespace epochcast::progress::sources
