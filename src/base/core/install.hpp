// Finds the running program and what was installed, or built, next to it: other programs, device
// catalog, cluster profiles, published figures.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace epochcast {

/// The file of the running program. In the archive the loader of its own runs it
/// (src/programs/launcher/launcher_main.cpp): the program, not the loader.
std::filesystem::path program_file();

/// The folder from which the running program and those beside it are started.
std::filesystem::path program_folder();

/// The path of the program `name` next to this one.
std::string program_beside(const std::string& name);

/// Prefix of a user's path that refers to a sample shipped with the experiments: "share:texts" is
/// experiments/texts.
inline constexpr std::string_view shipped_mark = "share:";

/// A shipped file or folder: PREFIX/share/epochcast/NAME if the programs are installed or if the
/// build writes it there, ROOT/SOURCE_PATH otherwise. Searches upwards from the running program, so
/// that both trees can be moved. Throws RunError if it is not found.
std::filesystem::path installed_data(const std::string& name, const std::string& source_path);

}  // namespace epochcast
