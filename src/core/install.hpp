// Where this program stands and what was installed, or built, beside it: other programs, device
// catalogue, cluster profiles, published figures.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast {

/// The folder of the running program.
std::filesystem::path program_folder();

/// Folders that may hold what we ship (clusters/, models.json): share/epochcast beside bin/, then,
/// for a build that was not installed, the source tree's.
std::vector<std::filesystem::path> shared_folders();

/// The program `name` beside this one.
std::string program_beside(const std::string& name);

/// A path that a user gives begins so where it is one of the samples that come with the
/// experiments: "share:texts" is experiments/texts.
inline constexpr std::string_view shipped_mark = "share:";

/// PREFIX/share/epochcast/NAME where the programs are installed, ROOT/SOURCE_PATH where they run
/// from a build tree: looked for upwards from the running program, so that neither tree knows where
/// it stands. Throws RunError if it is not found.
std::filesystem::path data_folder(const std::string& name, const std::string& source_path);

}  // namespace epochcast
