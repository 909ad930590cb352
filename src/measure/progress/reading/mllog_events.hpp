// The events that MLPerf's trainings log: ":::MLLOG " and one JSON object, anywhere in a line,
// between whatever else the programs print. An interval is two events, KEY_start and KEY_stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::progress::mllog {

/// What the metadata of an event counts: samples_count, step_num (or step), epoch_count.
struct Counts {
  std::optional<double> samples = {};
  std::optional<double> step = {};
  std::optional<double> epochs = {};
};

struct Event {
  std::size_t line = 0;      ///< From 1.
  std::int64_t time_ms = 0;  ///< Since 1970, by the clock of the machine that logged it.
  std::string key;
  std::string value;            ///< A text as it is, anything else as JSON; empty: null.
  std::optional<double> epoch;  ///< Number of the epoch it speaks of, or of its block's first one.
  std::string status = {};      ///< Of run_stop.
  Counts counts = {};
};

struct Events {
  std::vector<Event> events;         ///< In the order of the log.
  std::vector<std::string> remarks;  ///< Events that are broken, one each: "FILE:LINE: ...".
};

/// Every event in `text`; `file` is its name for the remarks.
Events read_events(const std::string& file, std::string_view text);

struct Interval {
  std::optional<double> epoch;
  std::int64_t start_ms = 0;
  std::int64_t stop_ms = 0;
  Counts at_start = {};
  Counts at_stop = {};

  double length_s() const { return static_cast<double>(stop_ms - start_ms) / 1000; }
};

/// The intervals of one kind in a log.
struct Intervals {
  std::vector<Interval> closed;  ///< By start; each longer than nothing.
  std::size_t events = 0;        ///< Starts and stops, also those without their other half.
  std::size_t restarted = 0;     ///< Starts of one that was open already: a crash, another rank.
  std::size_t unclosed = 0;      ///< Those without an end.
  std::size_t overlapping = 0;   ///< Those that start before an earlier one has ended.
};

/// Pairs the events `KEY_start` and `KEY_stop`. A stop ends the last start of the same epoch; a
/// start of an epoch that is open replaces it, because the earlier part was lost or was reported by
/// another rank.
Intervals pair_up(const std::vector<Event>& events, const std::string& key);

/// The work of a block.
struct BlockWork {
  const char* unit = "";  ///< samples, steps, or count (of samples or tokens); "": not stated.
  std::optional<double> amount = {};
};

/// The work of each block of a run. Submitters write samples_count in four ways: the block's own
/// number at its start and stop; cumulative at both; cumulative at the stop, with another unit at
/// the start; cumulative at the start and again at the stop, where the next start tells (not known
/// of the last block).
std::vector<BlockWork> works_of(const std::vector<Interval>& blocks);

/// The value of the last event `key`, or "".
std::string last_value(const std::vector<Event>& events, std::string_view key);

}  // namespace epochcast::progress::mllog
