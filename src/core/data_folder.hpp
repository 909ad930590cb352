// Where the data files stand that come with the programs: device catalogue, cluster profiles,
// published figures.
#pragma once

#include <filesystem>
#include <string>

namespace epochcast {

/// PREFIX/share/epochcast/NAME where the programs are installed, ROOT/SOURCE_PATH where they run
/// from a build tree: looked for upwards from the running program, so that neither tree knows where
/// it stands. Throws RunError where it is not found.
std::filesystem::path data_folder(const std::string& name, const std::string& source_path);

}  // namespace epochcast
