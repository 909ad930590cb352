// The parameters in which records differ, as columns of a table: which run is which.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// Names of the parameters whose values differ between the records. Not the number of epochs and
/// the device, and the command only where nothing else differs: it repeats the others.
std::vector<std::string> varied_parameters(const std::vector<LoadedRecord>& records);

/// A column of numbers if every record that has the attribute has a number, so that it sorts so.
table::Column attribute_column(const std::string& name, const std::vector<LoadedRecord>& records);
table::Cell attribute_cell(const record::Record& record, const table::Column& column);

/// Columns for the first `most` varied parameters.
std::vector<table::Column> varied_columns(const std::vector<LoadedRecord>& records,
                                          std::size_t most);

/// Puts the columns, with their values in each record, after the first `before` columns of a table
/// whose rows are those of the records in order.
void insert_columns(table::Table& table, std::size_t before,
                    const std::vector<table::Column>& columns,
                    const std::vector<LoadedRecord>& records);

}  // namespace epochcast::analysis
