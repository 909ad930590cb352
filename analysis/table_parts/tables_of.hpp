// Makes a registered table of records: the one place that leaves disturbed runs out.
#pragma once

#include <vector>

#include "analysis/table_parts/table_spec.hpp"

namespace epochcast::analysis {

/// The tables of `spec`. Unless it keeps them, runs that others disturbed are left out if there are
/// undisturbed repeats of the same work, and the table of excluded runs names them; those that have
/// none are kept, and a note below the first table says so. Nothing is left out if `options.by`
/// separates repeats.
std::vector<table::Table> tables_of(const TableSpec& spec, const std::vector<LoadedRecord>& records,
                                    const TableOptions& options);

}  // namespace epochcast::analysis
