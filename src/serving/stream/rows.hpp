// The rows of answered batches in the record.
#pragma once

#include <cstdint>

#include "src/base/core/clock.hpp"
#include "src/record/writer.hpp"
#include "src/serving/stream/consumer.hpp"

namespace epochcast::stream {

/// Used by one thread, which alone writes the record meanwhile.
class BatchRows {
 public:
  BatchRows(const Clock& clock, record::RecordWriter& record);

  /// Appends the row of a batch.
  void add(const BatchReport& report);
  /// Writes the rows to disk; if it is full, they stay in memory.
  void flush();
  /// The attempt as one epoch, so that tables of runs show it.
  record::Epoch whole_run(double start_s, double end_s) const;

 private:
  double from_1970_;  ///< What to add to a time since 1970 for one of the clock.
  record::RecordWriter& record_;
  std::int64_t batches_ = 0;
  std::int64_t items_ = 0;
};

}  // namespace epochcast::stream
