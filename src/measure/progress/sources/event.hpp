// One line of the file that EPOCHCAST_EVENTS names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress::sources {

enum class EventKind {
  train_begin,
  epoch_begin,
  epoch_end,
  epoch_drop,  ///< The epoch that runs is left before its end: it does not count.
  step,
  evaluate_begin,
  evaluate_end,
  metrics,
  train_end,
  note  ///< For the record.
};

/// Keys of the same names in the line; what it does not state stays empty.
struct Event {
  EventKind kind = EventKind::metrics;
  std::optional<std::int64_t> epoch;    ///< From 0.
  std::optional<std::int64_t> epochs;   ///< Of the whole run.
  std::optional<std::int64_t> step;     ///< Steps of the epoch that are done.
  std::optional<std::int64_t> steps;    ///< Of the epoch.
  std::optional<std::int64_t> samples;  ///< Of the step, or of the epoch that ends.
  std::optional<std::int64_t> time_ns;  ///< CLOCK_MONOTONIC of the machine that wrote it.
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> pid;  ///< The process that wrote it.
  std::string text;                 ///< Of a note; its control characters are replaced.
  std::vector<NamedValue> metrics;  ///< Of values that are no numbers, none.
};

/// Takes a JSON object; unknown keys are left out, and NaN and infinities are taken as Python
/// writes them. Throws Error, without a place: what is wrong with the line.
Event parse_event(std::string_view line);

}  // namespace epochcast::progress::sources
