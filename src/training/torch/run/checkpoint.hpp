// A checkpoint: one file, which Python's torch.load can read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/record/run/parameter.hpp"
#include "src/training/loop/workload.hpp"
#include "src/training/torch/base/named_tensors.hpp"
#include "src/training/torch/base/sums.hpp"
#include "src/training/torch/network/model.hpp"
#include "src/training/torch/run/evaluation.hpp"

namespace epochcast::libtorch {

struct Checkpoint {
  run::Parameters identity;  ///< Parameters that must be equal to resume.
  train::Position position;
  std::int64_t samples = 0;  ///< Samples in the loss sums.
  EvaluationMemory remembered;
  NamedTensors random;  ///< States of the random generators, by device.
  NamedTensors tensors;
  std::vector<std::string> other_ranks;  ///< The states of ranks 1, 2, ..., from pack_tensors().
};

/// Tensors as bytes for unpack_tensors().
std::string pack_tensors(const NamedTensors& tensors);
NamedTensors unpack_tensors(const std::string& bytes);

/// Writes through a temporary file that is synced and renamed. A CRC-32 of the content is the
/// comment of the zip archive, which the format is. Throws RunError if the disk is full or the
/// folder cannot be written.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws Error: no such file, not a checkpoint, damaged. Checkpoints of earlier versions have no
/// checksum: it is not checked.
[[nodiscard]] Checkpoint read_checkpoint(const std::string& path);

/// What must be equal to resume from a checkpoint: all except the device and the length of the run.
/// If the learning rate decreases to the end of the run, the length must be equal too.
run::Parameters identity_of(const run::RunConfig& config);

/// Throws Error with the first parameter that differs.
void check_identity(const std::string& path, const run::Parameters& saved,
                    const run::Parameters& now);

/// Copies every saved tensor into the one of the same name. Throws Error if names or shapes differ.
void copy_tensors(const std::string& path, const NamedTensors& saved, const NamedTensors& into);

/// The state of this rank as bytes, with a fingerprint of `parameters`. `gradients`: what has
/// gathered of an update that is not done.
std::string pack_rank_state(const torch::Device& device, const Sums& losses,
                            const NamedTensors& parameters, const NamedTensors& gradients);

/// Gives this rank the state that pack_rank_state made. `path`: of the checkpoint it was in, for
/// errors.
void restore_rank_state(const std::string& path, const std::string& packed,
                        const torch::Device& device, Sums& losses, const NamedTensors& gradients);

/// Throws RunError naming the first of `packed` (by rank) whose parameters are not those of rank 0,
/// to the bit: ranks that have drifted apart train different networks.
void check_same_parameters(const std::vector<std::string>& packed);

}  // namespace epochcast::libtorch
