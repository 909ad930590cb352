// Reading in a child process: HDF5 1.10 crashes on some damaged files (about 1 in 300 with random
// bits flipped), and one damaged record must not end a program that reads a thousand.
#pragma once

#include <functional>
#include <string>

#include "src/record/record.hpp"

namespace epochcast::record {

/// Calls `fill` on an empty record in a child process and gives back what it made of it. Throws
/// with the text that `fill` threw: Error where it was bad input, else h5::Failure; also
/// h5::Failure where the child crashes or hangs, RunError where there can be no child.
Record read_isolated(const std::function<void(Record&)>& fill);

}  // namespace epochcast::record
