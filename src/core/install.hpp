// Finds the running program and what was installed, or built, next to it: other programs, device
// catalog, cluster profiles, published figures.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// The folder of the running program.
std::filesystem::path program_folder();

/// Folders that may contain the shipped files (clusters/, models.json): share/epochcast next to
/// bin/, then, for a build that was not installed, the source tree.
std::vector<std::filesystem::path> shared_folders();

/// The path of the program `name` next to this one.
std::string program_beside(const std::string& name);

/// Prefix of a user's path that refers to a sample shipped with the experiments: "share:texts" is
/// experiments/texts.
inline constexpr std::string_view shipped_mark = "share:";

/// Returns PREFIX/share/epochcast/NAME if the programs are installed, ROOT/SOURCE_PATH if they run
/// from a build tree. Searches upwards from the running program, so that both trees can be moved.
/// Throws RunError if the folder is not found.
std::filesystem::path data_folder(const std::string& name, const std::string& source_path);

}  // namespace epochcast
