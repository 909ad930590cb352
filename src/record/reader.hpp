// Reads, verifies and salvages records, finished or not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::record {

class IsolatedReader;

/// Reads a record, also one that is still running or was killed (outcome "running"). If the file
/// cannot be read because it is being written, reading is repeated for less than a second. Throws
/// Error, one line: no such file, not a record, damaged (with what `salvage` could do), written
/// with a newer schema.
Record read_record(const std::string& path);

/// Which rows of a record to keep in memory. The steps and the samples of telemetry are nearly all
/// of a record: a table that needs none of them takes a thousandth of the memory.
enum class Rows { all, without_steps };

/// Reads many records as read_record does, all in one child process. read_record starts one for
/// each record, and a fork takes the longer the more records the program holds already.
class RecordReader {
 public:
  RecordReader();
  ~RecordReader();
  Record read(const std::string& path);
  /// Also throws Error if the rows of the record, steps included, contradict each other
  /// (inconsistencies).
  Record read_consistent(const std::string& path, Rows rows);

 private:
  Record read_as(char purpose, const std::string& path);

  std::unique_ptr<IsolatedReader> process_;
};

/// The records among `paths` (files, or folders that are searched recursively), sorted by path. For
/// a folder, the result also includes the name of a record file that is missing although its JSON
/// lines exist, so that no run is overlooked. It excludes records that have been salvaged. Throws
/// Error for a path that does not exist, nor its JSON lines.
std::vector<std::string> find_records(const std::vector<std::string>& paths);

/// What in the record contradicts itself, one line each: times that are negative or not finite,
/// rows out of order, an epoch that is shorter than the sum of its steps, an unknown outcome.
std::vector<std::string> inconsistencies(const Record& record);

/// The result of `verify` for one file.
struct Verdict {
  std::string path;
  bool readable = false;    ///< The HDF5 file opens and every table is complete.
  bool consistent = false;  ///< Its rows agree with each other and with the JSON lines.
  std::string text;         ///< One line: "ok, complete, 5 epochs" or what is wrong and the fix.
};
Verdict verify_record(const std::string& path);

/// Rebuilds a record from the JSON lines (and the readable parts of the HDF5 file) as
/// NAME.salvaged.h5 next to it; the damaged file is kept. `path` is the .h5 or the .jsonl. An
/// outcome "running" becomes "lost". Returns the new path. Throws Error if the record is intact or
/// nothing can be rebuilt.
std::string salvage_record(const std::string& path);

/// "x.h5" → "x.salvaged.h5".
std::string salvaged_path(const std::string& path);

/// The schema as a Markdown page, generated from the declarations.
std::string schema_page();

}  // namespace epochcast::record
