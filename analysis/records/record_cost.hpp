// What a run used of its site, and what the site charges for it.
#pragma once

#include "src/record/record.hpp"
#include "src/record/run/prices.hpp"

namespace epochcast::analysis {

/// From the start of the program to its last recorded time: what the job did before and after is
/// not in the record.
run::Usage usage_of(const record::Record& record);

/// The prices in the record; none if it has none or if they cannot be read.
run::Prices prices_of(const record::Record& record);

}  // namespace epochcast::analysis
