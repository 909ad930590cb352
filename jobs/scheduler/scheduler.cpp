#include "jobs/scheduler/scheduler.hpp"

#include <utility>

namespace epochcast::jobs {
namespace {

Scheduler*& scheduler_in_use() {
  static Scheduler* used = &slurm_scheduler();
  return used;
}

}  // namespace

Scheduler& scheduler() {
  return *scheduler_in_use();
}

InPlaceOfSlurm::InPlaceOfSlurm(Scheduler& other)
    : before_(std::exchange(scheduler_in_use(), &other)) {}

InPlaceOfSlurm::~InPlaceOfSlurm() {
  scheduler_in_use() = before_;
}

}  // namespace epochcast::jobs
