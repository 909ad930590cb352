// Records as the analyzer takes them: read from files and folders, asked by name, filtered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/record/load.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

using record::LoadedRecord;
using record::LoadedRecords;

/// record::load_records(); prints a line for each damaged file.
LoadedRecords load_and_report(const std::vector<std::string>& paths,
                              record::Rows rows = record::Rows::all);

/// exit_failed where a file was damaged.
int status_of(const LoadedRecords& loaded);

/// What is known of a record under a name: a header field (allocation, outcome, job_id ...),
/// `host`, `gpu_name`, or a parameter of the run (batch, epochs, model.depth ...). std::nullopt
/// if the record has no such name.
std::optional<std::string> attribute(const record::Record& record, std::string_view name);

/// The values of those attributes; "" where the record has none.
std::vector<std::string> attributes(const record::Record& record,
                                    const std::vector<std::string>& names);

/// Throws Error, with the nearest, for an attribute that no record has.
void require_attributes(const std::vector<LoadedRecord>& records,
                        const std::vector<std::string>& names);

/// The records that obey all of `conditions`, each "name=value"; two of the same name mean either.
/// Throws Error: no '=', or a name that no record has.
std::vector<LoadedRecord> filtered(std::vector<LoadedRecord> records,
                                   const std::vector<std::string>& conditions);

}  // namespace epochcast::analysis
