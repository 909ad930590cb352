#include "jobs/script/two_steps.hpp"

#include <fmt/format.h>

#include "jobs/script/script_lines.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// --exact: only the CPUs of one task; --mem=0: the steps share the memory of the job, which the
/// first would otherwise take for itself.
std::string srun(std::int64_t node, bool with_gpu, const AllocationProfile& site,
                 const TwoSteps& steps) {
  auto words = fmt::format(
      "srun --ntasks=1 --nodes=1 --relative={} --exact --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" "
      "--mem=0 --kill-on-bad-exit=1",
      node);
  if (run::gpus_of(site.asks) > 0 && !with_gpu) {
    words += " --gres=none";
  }
  for (const auto& option : steps.options) {
    words += " " + shell_quote(option);
  }
  return words;
}

}  // namespace

std::string step_launchers(const AllocationProfile& site, const TwoSteps& steps) {
  Lines lines;
  lines.raw("beside=()\nlaunch=()");
  if (steps.slurm) {
    lines.raw(R"(if [ -n "${SLURM_JOB_ID:-}" ]; then)");
    lines.add("  beside=({})", srun(0, !steps.gpu_of_launch, site, steps));
    lines.add("  launch=({})", srun(site.asks.nodes - 1, steps.gpu_of_launch, site, steps));
    lines.raw("fi");
  }
  return std::move(lines).text();
}

}  // namespace epochcast::jobs
