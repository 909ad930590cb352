// Whether an output folder is still where it was made. Its scripts contain that path, so those of a
// copy would write to the original.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// The folder that OUT was copied or moved from. Nothing if OUT is the original (also by another
/// path), or if generate.json is missing or too old.
std::optional<std::filesystem::path> original_of(const OutFolder& out);

/// How to fix a folder, or pilots of it, that was copied or moved.
std::string fix_of_copy(const OutFolder& out);

/// Throws Error if OUT or its pilots are a copy or were moved.
void require_made_here(const OutFolder& out);

}  // namespace epochcast::jobs
