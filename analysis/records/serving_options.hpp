// The options of a service and of the load on it, as a record has them among its parameters.
#pragma once

#include "src/record/record.hpp"
#include "src/record/run/serving.hpp"

namespace epochcast::analysis {

/// serve.*; what the record lacks has its default. Throws Error for a value that is not valid.
run::ServeOptions serve_options_of(const record::Record& record);
/// load.*, likewise.
run::LoadOptions load_options_of(const record::Record& record);

}  // namespace epochcast::analysis
