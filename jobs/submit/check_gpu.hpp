// Whether the trainer can compute on the GPUs of an allocation.
#pragma once

#include <optional>
#include <string>

#include "jobs/submit/check.hpp"

namespace epochcast::jobs {

/// What keeps `program` from the GPU of `site`, by `version`, its output of --version: it has no
/// CUDA, or its LibTorch has no code for the card. Nothing where the card is not in the device
/// database, or may be one that it has code for.
std::optional<Problem> gpu_problem(const AllocationProfile& site, const std::string& program,
                                   const std::string& version);

}  // namespace epochcast::jobs
