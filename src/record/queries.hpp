// What is asked of a record again and again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::record {

/// A parameter of the run, or "".
std::string parameter(const Record& record, std::string_view name);

/// Passes over the data that the run was to make (0: not said).
std::int64_t epochs_of(const Record& record);

/// The steps of rank 0, in order. Pointers go into `record`.
std::vector<const Iteration*> first_rank(const Record& record);

}  // namespace epochcast::record
