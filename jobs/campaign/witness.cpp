#include "jobs/campaign/witness.hpp"

#include <algorithm>
#include <iterator>

#include "jobs/scheduler/local.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::jobs {

Witness::Witness(const std::set<std::string>& jobs, const Journal& journal) : journal_(journal) {
  if (auto* here = LocalScheduler::here()) {
    take(here->queue().jobs);
  }
  std::vector<std::string> ours;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(ours),
               [](const auto& job) { return !is_local_job(job); });
  if (ours.empty()) {
    return;
  }
  const auto queue = scheduler().queue();
  problem_ = queue.answered ? "" : queue.error;
  take(queue.jobs);
  end_own_job();
  std::erase_if(ours, [&](const std::string& job) { return jobs_.contains(job); });
  if (queue.answered && !ours.empty()) {
    take(scheduler().accounting(ours).jobs);  // none if accounting is off
  }
}

const slurm::Job* Witness::find(const std::string& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second;
}

void Witness::end_own_job() {
  const auto ended = split(slurm::variable(slurm::current_environment(), ended_variable), ' ');
  const auto own = ended.size() == 2 ? jobs_.find(ended[0]) : jobs_.end();
  if (own == jobs_.end() || own->second.state != slurm::JobState::running) {
    return;  // Slurm is ending it, and will say why
  }
  if (!scheduler().has_no_steps(own->second.id)) {
    return;  // its srun was killed, and the program may still run
  }
  const auto info = scheduler().info(own->second.id);
  auto job = own->second;
  job.state =
      info && info->step_out_of_memory ? slurm::JobState::out_of_memory : slurm::JobState::failed;
  job.exit_code = ended[1] + ":0";
  jobs_[job.id] = jobs_[job.name] = job;
}

void Witness::take(const std::vector<slurm::Job>& jobs) {
  for (const auto& job : jobs) {
    if (is_known_job(journal_, job)) {
      jobs_[job.id] = job;
      jobs_[job.name] = job;
    }
  }
}

}  // namespace epochcast::jobs
