// The functions that all scripts call: epochcast.sh, which is built in.
#pragma once

#include <string>

#include "jobs/script/sbatch_header.hpp"

namespace epochcast::jobs {

extern const char* const shell_functions;

/// The name of the file beside the scripts. It says the content, so that no version replaces the
/// functions of a job that waits.
const std::string& shell_file_name();

/// The lines with which a script reads it: from "$out/scripts", or it ends with status 1.
void add_functions(Lines& lines);

}  // namespace epochcast::jobs
