// Five kinds of job as records made in code (their source is "simulated"), sampled every second.
#pragma once

#include <string>
#include <vector>

#include "src/base/core/quantity.hpp"
#include "src/record/record.hpp"

namespace epochcast {

/// What a made job asked for, and what it did in each second.
struct MadeJob {
  std::string name;
  std::string outcome = "complete";
  std::string cause = {};
  int seconds = 600;
  int cpus_asked = 4;
  std::string memory_asked = "8G";
  int gpus_asked = 0;
  double cpus = 3.8;  ///< Busy.
  double gib = 6.0;   ///< Resident at the end; it grows to that.
  double gpu_use = 0;
  double data_wait = 0.02;  ///< Share of the epochs.
};

inline record::Record job_record(const MadeJob& job) {
  record::Record record;
  auto& header = record.header;
  header.source = "simulated";
  header.outcome = job.outcome;
  header.cause = job.cause;
  header.created_at = "2026-11-21T09:00:00+00:00";
  header.point = job.name;
  header.allocation = "made";
  header.job_id = "1";
  record.machines.push_back(
      {.host = "node1", .gpu_memory_bytes = job.gpus_asked > 0 ? std::int64_t{16} << 30 : 0});
  const auto count = [](int number) { return std::to_string(number); };
  record.allocation = {{"nodes", "1", "1", ""},
                       {"tasks", "1", "1", ""},
                       {"cpus_of_job", count(job.cpus_asked), count(job.cpus_asked), ""},
                       {"gpus", count(job.gpus_asked), count(job.gpus_asked), ""},
                       {"memory", job.memory_asked, job.memory_asked, ""},
                       {"time", "1h", "1h", ""},
                       {"price_currency", "EUR", "", ""},
                       {"price_cpu_hour", "0.01", "", ""},
                       {"price_gpu_hour", "0.5", "", ""}};
  const double seconds = job.seconds;
  record.epochs.push_back({.wall_s = seconds, .wait_s = job.data_wait * seconds, .samples = 100});
  for (int second = 1; second <= job.seconds; ++second) {
    record.telemetry.push_back({.end_s = double(second),
                                .duration_s = 1,
                                .own_cpu_s = job.cpus,
                                .resident_bytes = job.gib * gibibyte * second / seconds});
    for (int gpu = 0; gpu < job.gpus_asked; ++gpu) {
      record.telemetry_gpus.push_back({.end_s = double(second),
                                       .duration_s = 1,
                                       .gpu = gpu,
                                       .use = job.gpu_use,
                                       .memory_bytes = 2 * gibibyte});
    }
  }
  return record;
}

inline const MadeJob idle_gpu{.name = "idle_gpu", .gpus_asked = 1};
inline const MadeJob much_memory{.name = "much_memory", .memory_asked = "64G", .gib = 3.1};
inline const MadeJob many_cpus{.name = "many_cpus", .cpus_asked = 32, .cpus = 1.9};
inline const MadeJob right{.name = "right"};
inline const MadeJob killed{
    .name = "killed", .outcome = "failed", .cause = "out_of_memory", .seconds = 300, .gib = 7.9};

inline const std::vector<MadeJob> five_jobs{idle_gpu, much_memory, many_cpus, right, killed};

}  // namespace epochcast
