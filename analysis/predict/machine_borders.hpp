// Numbers of CPUs of a machine beyond which further ones are of another kind.
#pragma once

#include <vector>

#include "src/forecast/scaling/scaling.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// Where the threads of the record's machine begin to run on another socket, and to share cores.
/// Empty if the record does not state its machine.
std::vector<forecast::Border> borders_of(const record::Record& record);

}  // namespace epochcast::analysis
