// Whether records are of one workload, so that a forecast may use them together, and from which
// numbers of CPUs on further ones of their machine are of another kind.
#pragma once

#include <vector>

#include "analysis/records/records.hpp"
#include "src/forecast/scaling/scaling.hpp"
#include "src/record/comparable.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// Whether the run computed on GPUs (`gpus`), or on CPUs, in a known number.
bool ran_on(const record::Record& record, bool gpus);

/// Throws Error that names the parameter, unless the runs that computed there (ran_on) do the same
/// epochs, but for the parameters `free`, and for what a command says of these: its words may end
/// with their values, or with the number of workers.
void require_one_workload(const std::vector<LoadedRecord>& records, bool gpus,
                          const record::ParameterNames& free = {});

/// Where the threads of the record's machine begin to run on another socket, and to share cores.
/// Empty if the record does not state its machine.
std::vector<forecast::Border> borders_of(const record::Record& record);

}  // namespace epochcast::analysis
