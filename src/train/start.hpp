// What a record says before the run begins: who, where, with what.
#pragma once

#include "src/record/record.hpp"
#include "src/run/parameter.hpp"
#include "src/run/run_config.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::train {

/// What the start of a record is made from, besides this machine and, in a job, Slurm's own answer.
struct StartFacts {
  std::int64_t rank = 0;  ///< Slurm is asked by rank 0 alone.
  run::Parameters
      parameters;  ///< Of the run, whoever made them: to_parameters(config), or a command's own.
  bool on_gpu = false;           ///< The run computes on the first visible GPU.
  const run::RunOutput& output;  ///< With a point.
  const slurm::Environment& environment;
  std::int64_t threads = 1;
  std::string libraries;  ///< "LibTorch 2.11.0".
};

/// Header, parameters, machine, allocation and modules. Slurm is asked, for a few seconds at most,
/// where the run is one of its jobs. Throws Error where EPOCHCAST_ASKED is not what the generator
/// writes.
record::Record start_record(const StartFacts& facts);

/// The id of a point that was run by hand: "dcgan.e5.r0" and a hash of the parameters that are not
/// the default.
std::string default_point(const run::RunConfig& config);

}  // namespace epochcast::train
