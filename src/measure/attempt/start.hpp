// The content of a record before the run starts: point, machine, allocation, parameters.
#pragma once

#include <filesystem>

#include "src/record/record.hpp"
#include "src/record/run/parameter.hpp"
#include "src/record/run/run_config.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::attempt {

/// The input of start_record(), in addition to this machine and, in a job, the answer of Slurm.
struct StartFacts {
  std::int64_t rank = 0;         ///< Only rank 0 queries Slurm.
  run::Parameters parameters;    ///< to_parameters(config), or the parameters of a command.
  bool on_gpu = false;           ///< The run computes on the first visible GPU.
  const run::RunOutput& output;  ///< With a point.
  const slurm::Environment& environment;
  std::int64_t threads = 1;
  std::string libraries;  ///< "LibTorch 2.11.0".
};

/// Header, parameters, machine, allocation and modules. In a Slurm job this queries Slurm, with a
/// timeout of a few seconds. Throws Error if the point, EPOCHCAST_ASKED or EPOCHCAST_PRICES is bad.
record::Record start_record(const StartFacts& facts);

/// <records>/<point>-<job>[-r<restart>].h5
std::filesystem::path record_path(const run::RunOutput& output, const record::RecordHeader& header);

/// The id of a point that was started by hand: "dcgan.e5.r0" and a hash of the parameters that do
/// not have their default values.
std::string default_point(const run::RunConfig& config);

}  // namespace epochcast::attempt
