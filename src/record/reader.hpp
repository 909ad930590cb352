// Reads, verifies and salvages records, finished or not.
#pragma once

#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::record {

/// Reads a record, also one still running or killed (outcome "running"); what cannot be read since
/// it is being written is tried again for less than a second. Throws Error, one line: no such file,
/// not a record, damaged (with what `salvage` could do), written by a newer schema.
Record read_record(const std::string& path);

/// The records among `paths` (files, or folders searched with their subfolders), sorted by path. In
/// a folder also the names of files that are missing beside their JSON lines, so that no run is
/// overlooked; not those that have been salvaged. Throws Error for a path that does not exist.
std::vector<std::string> find_records(const std::vector<std::string>& paths);

/// The result of `verify` for one file.
struct Verdict {
  std::string path;
  bool readable = false;    ///< The HDF5 file opens and every table is whole.
  bool consistent = false;  ///< Its rows agree with each other and with the JSON lines.
  std::string text;         ///< One line: "ok, complete, 5 epochs" or what is wrong and the fix.
};
Verdict verify_record(const std::string& path);

/// Rebuilds a record from the JSON lines (and what the HDF5 file still gives) as NAME.salvaged.h5
/// beside it; the damaged file is kept. `path` is the .h5 or the .jsonl. An outcome "running"
/// becomes "lost". Returns the new path. Throws Error where the record is whole or nothing can be
/// rebuilt.
std::string salvage_record(const std::string& path);

/// "x.h5" → "x.salvaged.h5".
std::string salvaged_path(const std::string& path);

/// The schema as a Markdown page, from the declarations.
std::string schema_page();

}  // namespace epochcast::record
