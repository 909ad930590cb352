// What the script of a point says about a program of the user's.
#pragma once

#include <string>
#include <vector>

#include "jobs/experiment/matrix.hpp"

namespace epochcast::jobs {

/// The program of a point with an output folder: no placeholders, all paths absolute.
Program program_in(const Point& point, const std::string& out);

/// Whether arguments make the program go on when the point is started again. Pilots start over.
bool resumes(const Point& point);

/// The options of epochcast-run, "--" and the command: arguments that the shell reads.
std::vector<std::string> program_words(const Point& point, const Program& program);

/// "A='1' B='2' ", the assignments before the command; "" if there are none. They stay out of the
/// script's own variables and of the command line, which other users of a node can see.
std::string environment_prefix(const Program& program);

/// The names of its environment variables.
std::vector<std::string> names_of_environment(const Program& program);

/// Lines before the command: the work folder, variables that must be set, the arguments to go on
/// with.
std::string program_preparation(const Point& point, const Program& program);

}  // namespace epochcast::jobs
