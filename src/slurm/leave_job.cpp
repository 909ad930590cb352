#include "src/slurm/leave_job.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace epochcast::slurm {

void leave_enclosing_job() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const auto name = text.substr(0, text.find('='));
    if ((name.starts_with("SLURM_") || name.starts_with("SBATCH_")) && name != "SLURM_CONF") {
      names.push_back(name);
    }
  }
  for (const auto& name : names) {
    unsetenv(name.c_str());
  }
}

}  // namespace epochcast::slurm
