// Starting new jobs from inside a job.
#pragma once

namespace epochcast::slurm {

/// Removes SLURM_* and SBATCH_* from this process's environment (SLURM_CONF stays): inside a job
/// they would change what sbatch asks for (an outer --mem makes an inner --mem-per-cpu fatal).
void leave_enclosing_job();

}  // namespace epochcast::slurm
