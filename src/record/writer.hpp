// Writes a record while the run goes on.
#pragma once

#include <memory>
#include <string>

#include "src/record/record.hpp"

namespace epochcast {

/// One attempt's file `path` (.h5) and the JSON lines beside it. Everything appended reaches both at the next
/// flush(); what was flushed survives a SIGKILL. Not thread-safe: one thread writes.
class RecordWriter {
 public:
  /// Makes the file with all its objects, complete before it gets its name, and outcome "running".
  /// `start` gives the header and any rows known already. Throws RunError: folder missing, no space, file exists.
  RecordWriter(const std::string& path, const Record& start);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  template <class Row>
  void append(const Row& row);

  /// Rows appended so far reach the file. Throws RunError where the disk is full; the rows stay in memory and
  /// the next flush tries again.
  void flush();

  /// Sets header fields that are known only later (tainted, note, resumed_from ...) and flushes.
  void update(const RecordHeader& header);

  /// The last flush: outcome, its text, finished_at. The writer takes no rows afterwards.
  void finish(const std::string& outcome, const std::string& text);

  const RecordHeader& header() const;
  /// Seconds spent inside the writer so far, on the monotonic clock.
  double own_time_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace epochcast
