// How figures of others become records, and the registry of importers (analysis/import/importers/,
// one file each).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/record/record.hpp"
#include "src/slurm/accounted_job.hpp"

namespace epochcast::analysis {

struct ImportOptions {
  /// Name of the allocation if the source names none; empty: the file's name.
  std::string allocation;
  /// A name of the device database, or the driver's name, if the source has only "cuda".
  std::string gpu;
  std::string pattern = {};   ///< Regular expression with named groups, for lines of any program.
  std::string progress = {};  ///< Progress format of a log; empty: as its lines show.
  std::vector<std::string> names = {};  ///< Patterns of job names (history::NamePattern).
};

struct Imported {
  std::vector<record::Record>
      records;  ///< The header has a point, and a job id that identifies the source.
  std::vector<std::string> remarks;  ///< Lines that could not be read, one each: "FILE:LINE: ...".
  std::vector<slurm::AccountedJob> jobs = {};  ///< For the history in the folder.
  std::vector<std::string> notes = {};         ///< What was found and left out, for the user.
};

struct ImporterSpec {
  std::string summary;
  /// Throws Error if the file cannot be read at all.
  std::function<Imported(const std::string& file, const ImportOptions&)> read;
};

namespace importers {
const std::map<std::string, ImporterSpec>& all();
}

/// A parameter of a run, typed as RunConfig types it, else as text.
record::ParameterRow parameter_row(const std::string& name, const std::string& value);

/// Adds the number of epochs of the whole run to each record that does not state it. Throws Error
/// "RUN: found 12 epochs, expected at most 10 (--epochs)".
void state_epochs(std::vector<record::Record>& records, std::int64_t epochs);

/// Writes records to `folder` as POINT-JOB.h5 and returns the paths. Creates the folder if needed.
/// Replaces a record of the same name if it was imported from the same kind of source. Throws
/// RunError if any other file has the name, or if a record cannot be written.
std::vector<std::string> write_records(const std::vector<record::Record>& records,
                                       const std::string& folder);

}  // namespace epochcast::analysis
