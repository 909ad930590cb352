// The settings of recorded steps for the forecast surface, and the one that `predict` asks for.
#pragma once

#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/forecast/scaling/step_setting.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {

/// The parameters of a run that the surface has dimensions for: batch, model.length, and those of
/// the layout of a large model.
const record::ParameterNames& surface_parameters();

/// A run that takes part, with its setting.
struct SettingRun {
  const LoadedRecord* loaded = nullptr;
  forecast::StepSetting setting;  ///< setting_of: without the network.
  double step_s = 0;              ///< Mean steady step.
};

struct SurfaceSettings {
  bool on_gpus = false;
  std::vector<SettingRun> runs;       ///< Never empty.
  std::vector<std::string> left_out;  ///< "PATH: left out: why".

  std::vector<forecast::SettingTime> times() const;
};

/// The steps of the runs on GPUs (--gpus), on CPUs (--cpus), or on what all runs used. Throws Error
/// for runs of different workloads or on different hardware, and if some used GPUs and some did not
/// and neither option is given; RunError if no run has a step to forecast from. Unless `timed`,
/// runs without one, as of many programs, take part too, with step_s 0. With --parameters the runs
/// may differ in the options of their model, and state how many parameters that has.
SurfaceSettings surface_settings(const std::vector<LoadedRecord>& records,
                                 const cli::Arguments& arguments, bool timed = true);

/// Whether the runs differ in a dimension of the surface that is not a number of workers.
bool differ_in_surface_parameters(const std::vector<LoadedRecord>& records, bool gpus);

/// The setting that --batch-size, --input-length, --layout, --cpus or --gpus, and --nodes ask
/// for; what is not given is as in all runs. Of a model that is divided, that is the batch of all
/// workers together. Throws Error for a dimension that is not given although the runs differ in it,
/// for --input-length if no record states one, for a --layout that is none of the layout, and
/// for workers that cannot be divided so.
forecast::StepSetting setting_asked(const SurfaceSettings& recorded,
                                    const cli::Arguments& arguments);

}  // namespace epochcast::analysis
