// A checkpoint: one file that torch.load of Python reads too.
#pragma once

#include <string>

#include "src/run/parameter.hpp"
#include "src/torch/network/model.hpp"
#include "src/torch/run/evaluation.hpp"
#include "src/train/workload.hpp"

namespace epochcast::libtorch {

struct Checkpoint {
  run::Parameters identity;  ///< What must be equal for the run to go on exactly.
  train::Position place;
  std::int64_t samples = 0;  ///< Samples in the loss sums.
  EvaluationMemory remembered;
  NamedTensors random;  ///< States of the random generators, by device.
  NamedTensors tensors;
  std::vector<std::string>
      other_ranks;  ///< Packed by pack_tensors: what ranks 1, 2, ... have of their own.
};

/// Tensors as bytes that unpack_tensors takes.
std::string pack_tensors(const NamedTensors& tensors);
NamedTensors unpack_tensors(const std::string& bytes);

/// Writes beside `path`, syncs, renames. Throws RunError where the disk is full or the folder
/// cannot be written.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws Error: no such file, no checkpoint of ours.
Checkpoint read_checkpoint(const std::string& path);

/// What a checkpoint must agree on: all but where a run ends, unless its learning rate falls to
/// that end, and where it computes.
run::Parameters identity_of(const run::RunConfig& config);

/// Throws Error naming the first parameter that differs.
void check_identity(const std::string& path, const run::Parameters& saved,
                    const run::Parameters& now);

/// Copies every saved tensor into the one of the same name. Throws Error where names or shapes
/// differ.
void copy_tensors(const std::string& path, const NamedTensors& saved, const NamedTensors& into);

}  // namespace epochcast::libtorch
