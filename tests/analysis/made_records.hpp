// Records made in code for the tests of the analyzer. They say so: their source is "simulated".
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/import/importer.hpp"
#include "analysis/records/records.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {

/// What a made run differs in.
struct MadeRun {
  std::string allocation = "cpu2";
  std::int64_t epochs = 1;
  std::int64_t repeat = 0;
  double epoch_s = 10;  ///< Each epoch; the first takes one second more.
  std::int64_t cpus = 2;
  std::string gpu = {};          ///< The driver's name: it ran there.
  std::string claimed_gpu = {};  ///< Asked for.
  std::int64_t batch = 256;
  std::string source = "simulated";
};

inline record::Record made_record(const MadeRun& run) {
  record::Record record;
  auto& header = record.header;
  header.source = run.source;
  header.outcome = "complete";
  header.created_at = "2026-11-21T09:00:00+00:00";
  header.experiment = "made";
  header.allocation = run.allocation;
  header.point = "made." + run.allocation + ".b" + std::to_string(run.batch) + ".e" +
                 std::to_string(run.epochs) + ".r" + std::to_string(run.repeat);
  header.job_id = "1";
  const std::vector<std::pair<std::string, std::string>> parameters{
      {"model", "dcgan"},
      {"batch", std::to_string(run.batch)},
      {"epochs", std::to_string(run.epochs)},
      {"repeat", std::to_string(run.repeat)},
      {"device", run.gpu.empty() ? "cpu" : "cuda"}};
  for (const auto& [name, value] : parameters) {
    record.parameters.push_back(parameter_row(name, value));
  }
  auto& machine = record.machines.emplace_back();
  machine.host = "node1";
  machine.threads_used = run.cpus;
  machine.gpu_name = run.gpu;
  auto& work = record.work.emplace_back();
  work.samples_per_epoch = 1000;
  work.precision = "fp32";
  const auto gpu = run.claimed_gpu;
  record.allocation.push_back({"cpus", std::to_string(run.cpus), "", ""});
  record.allocation.push_back({"gpus", gpu.empty() ? "0" : "1", "", ""});
  record.allocation.push_back({"gpu", gpu, "", ""});
  double start_s = 0;
  for (std::int64_t epoch = 0; epoch < run.epochs; ++epoch) {
    const double wall_s = run.epoch_s + (epoch == 0 ? 1 : 0);
    record.epochs.push_back(
        {.epoch = epoch, .start_s = start_s, .wall_s = wall_s, .samples = 1000, .iterations = 4});
    record.metrics.push_back({epoch, "loss_d", 0.5 / static_cast<double>(epoch + 1)});
    record.metrics.push_back({epoch, "loss_g", 1.0 + static_cast<double>(epoch)});
    start_s += wall_s;
  }
  return record;
}

/// Two threads on two CPUs, sampled during the whole epoch; nobody used them.
inline record::EpochUsage idle_usage(const record::Epoch& epoch) {
  return {.epoch = epoch.epoch,
          .start_s = epoch.start_s,
          .duration_s = epoch.wall_s,
          .covered_s = epoch.wall_s,
          .cpus = 2,
          .threads = 2};
}

/// Another process took half of its CPU time.
inline record::Record disturbed_record(MadeRun run) {
  auto record = made_record(run);
  for (const auto& epoch : record.epochs) {
    auto row = idle_usage(epoch);
    row.other_cpu_s = epoch.wall_s;
    record.usage.push_back(row);
  }
  return record;
}

/// A run on a GPU with a queue.
struct QueuedRun {
  double device_s = 0.02;
  std::size_t queue = 1000;  ///< Steps that the host may queue before the GPU has computed them.
  double launch_s = 5e-5;
  double wait_s = 0;
  MadeRun made = {.epochs = 3, .gpu = "Tesla V100-SXM2-16GB"};
};

/// Epochs of 300 steps, at whose ends the host waits for the GPU, as it does after the first step,
/// which is cold; in the fourth step a CUDA graph is captured.
inline record::Record queued_record(const QueuedRun& run) {
  constexpr std::int64_t steps = 300;
  auto record = made_record(run.made);
  record.work.front().iterations_per_epoch = steps;
  double host_s = 0;
  for (auto& epoch : record.epochs) {
    epoch.start_s = host_s;
    epoch.iterations = steps;
    std::vector<double> done_s;
    for (std::int64_t i = 0; i < steps; ++i) {
      const bool is_cold = epoch.epoch == 0 && i == 0;
      const double extra_s = is_cold ? 1 : epoch.epoch == 0 && i == 3 ? 0.1 : 0;
      const double start_s = host_s;
      host_s += run.wait_s + run.launch_s + extra_s;
      const double device_from_s =
          std::max(done_s.empty() ? 0 : done_s.back(), host_s - (is_cold ? 0 : extra_s));
      done_s.push_back(std::max(device_from_s + run.device_s, host_s));
      if (is_cold || done_s.size() >= run.queue) {  // the host waits for a place in the queue
        host_s = std::max(host_s, done_s[is_cold ? 0 : done_s.size() - run.queue]);
      }
      record.iterations.push_back({.epoch = epoch.epoch,
                                   .index = i,
                                   .start_s = start_s,
                                   .wait_s = run.wait_s,
                                   .step_s = host_s - start_s - run.wait_s,
                                   .device_s = done_s.back() - device_from_s,
                                   .samples = run.made.batch});
    }
    host_s = std::max(host_s, done_s.back());
    epoch.wall_s = host_s - epoch.start_s;
  }
  return record;
}

/// As load_records gives it.
inline LoadedRecord loaded(const record::Record& record) {
  return {record.header.point.str() + "-" + record.header.job_id.str() + ".h5", record};
}

}  // namespace epochcast::analysis
