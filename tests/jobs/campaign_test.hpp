// A folder of two allocations with two points each, whose scheduler is in memory.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jobs/campaign/generate.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/submit/submit.hpp"
#include "tests/jobs/scheduler_in_memory.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs::test {

/// The lines of a record that a running job has written.
inline std::string running_record(const std::string& point, const std::string& job) {
  return fmt::format(
      R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:00:00+00:00","outcome":"running","point":"{}","job_id":"{}"}})"
      "\n",
      point, job);
}

class FourPoints : public testing::Test {
 protected:
  FourPoints() {
    folder_.write("c.yaml",
                  "scheduler: slurm\nallocations:\n  a: {cpus: 1, memory: 1G, "
                  "time: 1h}\n  b: {cpus: 2, memory: 1G, time: 1h}\n");
    make("name: x\nsweep: {epochs: [1, 2]}\n");
  }
  /// Makes the folder again, for another experiment.
  void make(const std::string& experiment) {
    fs::remove_all(out_);
    generate({folder_.write("x.yaml", experiment), (folder_ / "c.yaml").string(), out_, {}, {}});
    points_.clear();
    for (const auto& point : status(out_).points) {
      points_.push_back(point.point);
    }
  }
  SubmitReport submit_all() const { return submit({.out = out_, .filters = {}, .points = {}}); }

  TempFolder folder_;
  std::string out_ = folder_ / "out";
  std::vector<std::string> points_;
};

class CampaignTest : public FourPoints {
 protected:
  using Fault = SchedulerInMemory::Fault;

  /// Jobs that it took; never more than one a point if nothing went wrong.
  long taken() const { return scheduler_.taken(); }

  SchedulerInMemory scheduler_;
  InPlaceOfSlurm in_place_{scheduler_};
};

}  // namespace epochcast::jobs::test
