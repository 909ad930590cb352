// Whether an output folder is where it was made: its scripts name that place, so a copy of it would
// work in the original.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// The folder that OUT was made as, where OUT is another one now: copied or moved. Nothing where it
/// is the same by whatever path, or where generate.json is missing or too old to say.
std::optional<std::filesystem::path> made_elsewhere(const OutFolder& out);

/// What is to be done about a folder, or pilots of it, that was copied or moved.
std::string mend_of_copy(const OutFolder& out);

/// Throws Error where OUT or its pilots were made elsewhere: whatever starts them works there.
void require_made_here(const OutFolder& out);

}  // namespace epochcast::jobs
