// A record of the readings that a program has left in files: what the importers of events and of
// the files of trackers share.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "analysis/import/imported_rows.hpp"
#include "analysis/import/importer.hpp"
#include "src/measure/progress/sources/events.hpp"

namespace epochcast::analysis {

/// One record, named after the file or folder, or none if no epoch and no metric is in the
/// readings.
Imported record_of(const progress::sources::StoredReadings& stored, const RowSource& source);

/// Reads the files of metrics of one run, in any format that `epochcast-run --metrics` knows.
/// `kind`: the name of the importer.
ImporterSpec importer_of_metrics(std::string kind, std::string summary);

using IsRun = std::function<bool(const std::filesystem::directory_entry&)>;

/// An importer of one run, for a folder with any number of them too: whatever is a run in it. Of
/// several, one that cannot be read is named and does not stop the others.
ImporterSpec of_many_runs(ImporterSpec of_one, IsRun is_run);

}  // namespace epochcast::analysis
