// Reads a record in a child process: HDF5 1.10 crashes on some damaged files (about 1 in 300 with
// random bits flipped), and one damaged record must not end a program that reads a thousand.
#pragma once

#include <functional>
#include <string>

#include "src/record/record.hpp"

namespace epochcast::record {

/// Calls `fill` on an empty record in a child process and returns the filled record. If `fill`
/// throws, throws an exception with the same text: Error for bad input, else h5::Failure. Also
/// throws h5::Failure if the child crashes or hangs, and RunError if no child can be started.
Record read_isolated(const std::function<void(Record&)>& fill);

}  // namespace epochcast::record
