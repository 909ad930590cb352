// A record of the readings that a program has left in files: what the importers of events and of
// TensorBoard's files share.
#pragma once

#include <string>

#include "analysis/import/imported_rows.hpp"
#include "analysis/import/importer.hpp"
#include "src/measure/progress/sources/events.hpp"

namespace epochcast::analysis {

/// One record, named after the file or folder, or none if no epoch and no metric is in the
/// readings.
Imported record_of(const progress::sources::StoredReadings& stored, const RowSource& source);

}  // namespace epochcast::analysis
