// Writes a record during the run.
#pragma once

#include <memory>
#include <string>
#include <tuple>

#include "src/record/record.hpp"
#include "src/record/run/outcome.hpp"

namespace epochcast::record {

/// The file `path` (.h5) of one attempt and the JSON lines next to it. All appended data reaches
/// both files at the next flush(). Flushed data survives a SIGKILL. Not thread-safe: only one
/// thread may write.
class RecordWriter {
 public:
  /// Creates the file with all its objects; it gets its name when it is complete. `start` gives the
  /// header and the rows that are known already. Throws RunError: the folder is missing, there is
  /// no space, or one of the two files exists.
  RecordWriter(const std::string& path, const Record& start);
  /// Keeps only the header and writes no file: for all ranks except rank 0, which writes the one
  /// record of the run.
  explicit RecordWriter(const Record& start);
  /// Without finish(), rows that are not flushed are lost and the outcome is unchanged.
  ~RecordWriter();
  RecordWriter(RecordWriter&&) = delete;

  /// `Row` is the row type of any table of the record.
  template <class Row>
  void append(const Row& row) {
    append_to(&std::get<RecordTable<Row>>(record_tables), &row);
  }

  /// Writes all rows appended so far to the files. Throws RunError if the disk is full: the rows
  /// then stay in memory, the rows flushed before stay readable, and the next flush tries again.
  void flush();

  /// Sets header fields that become known only later (tainted, note, resumed_from ...) and flushes.
  void update(const RecordHeader& header);

  /// Flushes, sets the outcome, its text and finished_at, and accepts no rows afterwards. If it
  /// throws, it may be called again: that tries to write the first outcome. Throws RunError at a
  /// success whose files were removed.
  void finish(run::Outcome outcome, const std::string& text,
              run::FailureCause cause = run::FailureCause::none);

  const RecordHeader& header() const;
  /// Seconds spent inside the writer so far, on the monotonic clock.
  double own_time_s() const;

 private:
  struct Impl;
  /// `row` is of the type of `table`, one of record_tables.
  void append_to(const void* table, const void* row);

  std::unique_ptr<Impl> impl_;
};

/// Writes a complete record at once and closes it with its header unchanged. Replaces what a call
/// that was killed has left. Throws like RecordWriter.
void write_record(const std::string& path, const Record& record);

/// Sets the outcome and finished_at of a record after its job is gone, in the file and in the JSON
/// lines. A record that has ended keeps its outcome, and the function returns false. If several
/// processes close a record at once, only one gets true. Throws Error if the file is damaged (the
/// JSON lines then have the outcome, and `salvage` uses it).
[[nodiscard]] bool close_record(const std::string& path, run::Outcome outcome,
                                const std::string& text, run::FailureCause cause);

}  // namespace epochcast::record
