// Where the data files stand that come with the programs: device catalogue, cluster profiles,
// published figures.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace epochcast {

/// A path that a user gives begins so where it is one of the samples that come with the
/// experiments: "share:texts" is experiments/texts.
inline constexpr std::string_view shipped_mark = "share:";

/// PREFIX/share/epochcast/NAME where the programs are installed, ROOT/SOURCE_PATH where they run
/// from a build tree: looked for upwards from the running program, so that neither tree knows where
/// it stands. Throws RunError where it is not found.
std::filesystem::path data_folder(const std::string& name, const std::string& source_path);

}  // namespace epochcast
