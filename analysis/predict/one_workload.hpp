// Whether records are of one workload, so that a forecast may use them together.
#pragma once

#include <vector>

#include "analysis/records/records.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {

/// Whether the run computed on GPUs (`gpus`), or on CPUs, in a known number.
bool ran_on(const record::Record& record, bool gpus);

/// Throws Error that names the parameter, unless the runs that computed there (ran_on) do the same
/// epochs, but for the parameters `free`.
void require_one_workload(const std::vector<LoadedRecord>& records, bool gpus,
                          const record::ParameterNames& free = {});

}  // namespace epochcast::analysis
