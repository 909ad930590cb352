// The parameters in which records differ, as columns of a table: which run is which.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {

/// Names of the parameters whose values differ between the records. Not the number of epochs and
/// the device, and the command only where nothing else differs: it repeats the others.
std::vector<std::string> varied_parameters(const std::vector<LoadedRecord>& records);

/// A column for each attribute: of numbers if every record that has it has a number, so that it
/// sorts so.
table::Columns<LoadedRecord> attribute_columns(const std::vector<std::string>& names,
                                               const std::vector<LoadedRecord>& records);

/// The first columns of a table of records: path, the attributes `by`, allocation.
table::Columns<LoadedRecord> record_columns(const std::vector<std::string>& by);

}  // namespace epochcast::analysis
