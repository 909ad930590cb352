// The command line of each container runtime.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "jobs/cluster/cluster.hpp"

namespace epochcast::jobs {

/// The command before the program that starts it in the allocation's container: empty without one,
/// and for pyxis. The output folder `out` has the same path inside, and the environment variables
/// of these names, and those that the site's setup lines export, have the same values.
std::vector<std::string> container_words(const AllocationProfile& site, const std::string& out,
                                         const std::vector<std::string>& variables = {});

/// The options of srun that start the program in the container: empty unless the runtime is pyxis.
std::vector<std::string> container_srun_options(const AllocationProfile& site,
                                                const std::string& out);

/// (runtime, program) of every runtime that is a program.
std::vector<std::pair<std::string, std::string>> container_programs();

/// The program that starts the container on the node: "apptainer"; "" if there is none.
std::string container_program(const Container& container);

}  // namespace epochcast::jobs
