// Where this program stands and what was installed, or built, beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace epochcast::jobs {

/// The folder of the running program.
std::filesystem::path program_folder();

/// Folders that may hold what we ship (clusters/, models.json): share/epochcast beside bin/, then,
/// for a build that was not installed, the source tree's.
std::vector<std::filesystem::path> shared_folders();

/// The program `name` beside this one.
std::string program_beside(const std::string& name);

}  // namespace epochcast::jobs
