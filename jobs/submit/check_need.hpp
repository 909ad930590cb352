// Checks of what a program of the user's needs before it starts.
#pragma once

#include <optional>

#include "jobs/campaign/needs.hpp"
#include "jobs/submit/check.hpp"

namespace epochcast::jobs {

/// What this machine lacks for the point of `need`.
std::optional<Problem> problem_of(const Need& need);

}  // namespace epochcast::jobs
