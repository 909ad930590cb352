// Many records at once, from files and folders.
#pragma once

#include <string>
#include <vector>

#include "src/record/reader.hpp"
#include "src/record/record.hpp"

namespace epochcast::record {

struct LoadedRecord {
  std::string path;
  Record record;
};

struct LoadedRecords {
  std::vector<LoadedRecord> records;  ///< Sorted by path.
  std::vector<std::string> damaged;   ///< One line for each file that is damaged or inconsistent.
};

/// Reads every record among files and folders. A file that cannot be read, or whose rows contradict
/// each other (inconsistencies), is left out and named; it never stops the rest.
/// Throws Error for a path that does not exist and if there is no record at all.
LoadedRecords load_records(const std::vector<std::string>& paths, Rows rows = Rows::all);

}  // namespace epochcast::record
