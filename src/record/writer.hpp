// Writes a record while the run goes on.
#pragma once

#include <memory>
#include <string>

#include "src/record/record.hpp"
#include "src/run/outcome.hpp"

namespace epochcast::record {

/// One attempt's file `path` (.h5) and the JSON lines beside it. Everything appended reaches both
/// at the next flush(); what was flushed survives a SIGKILL. Not thread-safe: one thread writes.
class RecordWriter {
 public:
  /// Makes the file with all its objects, complete before it gets its name. `start` gives the
  /// header and any rows known already. Throws RunError: folder missing, no space, one of the two
  /// files exists.
  RecordWriter(const std::string& path, const Record& start);
  /// Keeps nothing but the header: for ranks other than the first, which writes the run's one
  /// record.
  explicit RecordWriter(const Record& start);
  /// Without finish(), rows not flushed are lost and the outcome stays as it was.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// `Row` is the row type of any table of the record.
  template <class Row>
  void append(const Row& row);

  /// Rows appended so far reach the files. Throws RunError if the disk is full; the rows stay in
  /// memory, what was flushed before stays readable, and the next flush tries again.
  void flush();

  /// Sets header fields that are known only later (tainted, note, resumed_from ...) and flushes.
  void update(const RecordHeader& header);

  /// The last flush: outcome, its text, finished_at. The writer takes no rows afterwards; where
  /// finish() throws, it may be called again.
  void finish(run::Outcome outcome, const std::string& text,
              run::FailureCause cause = run::FailureCause::none);

  const RecordHeader& header() const;
  /// Seconds spent inside the writer so far, on the monotonic clock.
  double own_time_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A record known as a whole, written at once and closed with its header as it is. Throws as
/// RecordWriter.
void write_record(const std::string& path, const Record& record);

/// Sets the outcome of a record whose job is gone, and finished_at, in the file and in the JSON
/// lines; a record that has ended keeps its outcome, and the answer is false. Of several that
/// close a record at once only one gets true. Throws Error if the file is damaged (the JSON
/// lines then have the outcome, and `salvage` takes it).
[[nodiscard]] bool close_record(const std::string& path, run::Outcome outcome,
                                const std::string& text, run::FailureCause cause);

}  // namespace epochcast::record
