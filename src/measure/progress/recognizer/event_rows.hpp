// What other sources than printed lines tell: events and files of metrics.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

/// They make the epochs from the first step or epoch on, unless lines have made one before.
class EventRows {
 public:
  EventRows() { rows_.keep_all(); }

  void read(const Reading& reading, double at_s, std::string_view source,
            const RowBuilder& of_lines) {
    const bool places = reading.begins_epoch || reading.ends_epoch || reading.step;
    const bool lines_came_first = of_lines.position().epochs_done > 0;
    if (reading.of_run || (source_.empty() && (!places || lines_came_first))) {
      const auto& now = source_.empty() ? of_lines.position() : rows_.position();
      for (const auto& [name, value] : reading.metrics) {
        unplaced_.push_back({.epoch = reading.epoch ? *reading.epoch : now.epoch.value_or(-1),
                             .name = name,
                             .value = value,
                             .iteration = reading.step.value_or(0)});
      }
      return;
    }
    rows_.read(reading, at_s);
    source_ = source_.empty() ? source : source_;
  }
  /// Empty: none makes epochs.
  const std::string& source() const { return source_; }
  RowBuilder& rows() { return rows_; }
  /// Values that are of no epoch.
  std::vector<record::Metric> take_unplaced() { return std::exchange(unplaced_, {}); }

 private:
  RowBuilder rows_;
  std::string source_;
  std::vector<record::Metric> unplaced_;
};

}  // namespace epochcast::progress
