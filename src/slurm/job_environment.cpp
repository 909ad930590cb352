#include "src/slurm/job_environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::slurm {

Environment current_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const auto equals = std::min(text.find('='), text.size());
    environment.emplace(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())));
  }
  return environment;
}

std::string variable(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string visible_gpus(const Environment& environment) {
  for (const auto* name : {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}) {
    if (auto gpus = variable(environment, name); !gpus.empty()) {
      return gpus;
    }
  }
  return "";
}

std::int64_t count_variable(const Environment& environment, const std::string& name) {
  const auto text = variable(environment, name);
  if (text.empty()) {
    return 0;
  }
  const auto value = parse_integer(text);
  if (!value || *value < 0) {
    throw Error(
        fmt::format("{} in the environment: found '{}', expected a whole number", name, text));
  }
  return *value;
}

JobEnvironment read_job_environment(const Environment& environment) {
  JobEnvironment job;
  const auto local_id = variable(environment, "EPOCHCAST_JOB_ID");
  const auto slurm_id = variable(environment, "SLURM_JOB_ID");
  job.under_slurm = local_id.empty() && !slurm_id.empty();
  job.job_id = !local_id.empty()   ? local_id
               : !slurm_id.empty() ? slurm_id
                                   : fmt::format("local-{}", getpid());
  job.restart = count_variable(environment, "SLURM_RESTART_COUNT");
  job.cpus_per_task = count_variable(environment, "SLURM_CPUS_PER_TASK");
  return job;
}

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
