// Reads all that telemetry knows and turns counters since the start into rows since the last
// sample.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/measure/telemetry/cgroup.hpp"
#include "src/measure/telemetry/cpu_times.hpp"
#include "src/measure/telemetry/energy.hpp"
#include "src/measure/telemetry/gpus.hpp"
#include "src/measure/telemetry/neighbours.hpp"
#include "src/measure/telemetry/pressure.hpp"
#include "src/measure/telemetry/process_usage.hpp"
#include "src/record/telemetry_rows.hpp"

namespace epochcast::telemetry {

/// What to look at.
struct Sources {
  std::vector<int> cpus;                   ///< That the run may use.
  Processes processes = Processes::own;    ///< `tree` for a run that starts a program.
  int helper = 0;                          ///< A process between this one and the program.
  std::vector<std::string> gpus = {};      ///< As CUDA_VISIBLE_DEVICES names them; empty: none.
  std::filesystem::path root = "/";        ///< In place of "/", for recorded files.
  std::string nvml = "libnvidia-ml.so.1";  ///< The library of the driver.
};

/// The rows of one sample; their rank is 0.
struct Sample {
  record::Telemetry machine;
  std::vector<record::CpuTelemetry> cpus = {};
  std::vector<record::GpuTelemetry> gpus = {};
};

class CounterReader {
 public:
  /// Reads the counters for the first time, at `now_s` on the clock of the run.
  CounterReader(Sources sources, double now_s);

  /// The rows since the read before. Rows of single CPUs come with every sample in the first 600
  /// samples and then with every tenth, so that a long run on many CPUs keeps a small record.
  Sample read(double now_s);

 private:
  /// Counters and values of one moment.
  struct Reading {
    double at_s = 0;
    std::map<int, CpuTimes> cpus;
    ProcessUsage process;
    CgroupUsage cgroup;
    Pressure pressure;
    Energy energy;
  };
  Reading read_all(double now_s);
  void set_wait(const ProcessUsage& before, const ProcessUsage& after, record::Telemetry& row);
  void name_neighbour(record::Telemetry& row);
  std::vector<record::CpuTelemetry> cpu_rows(const Reading& now);

  Sources sources_;
  double ticks_per_s_;
  CgroupFolders cgroups_;
  PressureFiles pressure_files_;
  EnergyCounters energy_;
  Gpus gpus_;
  Neighbours neighbours_;
  bool tells_frequency_ = true;
  Reading last_;
  Reading last_of_cpus_;
  double last_wait_share_ = record::not_measured;
  long samples_ = 0;
};

}  // namespace epochcast::telemetry
