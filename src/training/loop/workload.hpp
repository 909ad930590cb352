// A network (or a GAN pair) with its data and device, as seen by the training loop. No LibTorch
// type appears here, so the loop compiles in a second and its tests run with a fake workload.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/record/record.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::train {

/// A number that the training reports, as (name, value): loss_d, loss, val_accuracy.
using Metrics = std::vector<std::pair<std::string, double>>;

/// The metric called `name`; 0 if there is none.
inline double metric(const Metrics& metrics, std::string_view name) {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.first == name; });
  return found == metrics.end() ? 0 : found->second;
}

/// A batch on the device.
struct Batch {
  std::int64_t samples = 0;  ///< 0: the epoch is over.
  double work = 0;           ///< Counted FLOPs of its step.
};

/// The time that one step took on the device.
struct DeviceTime {
  std::int64_t iteration = 0;  ///< Counted from the start of the run.
  double seconds = 0;
  double gradient_sync_wait_s = 0;  ///< Part of `seconds`: wait for gradients of other ranks.
};

/// The progress of a run.
struct Position {
  std::int64_t epoch = 0;      ///< From 0.
  std::int64_t iteration = 0;  ///< Completed steps of that epoch.
};

/// Scores the network on held-out data.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// val_loss, val_accuracy, ...
  virtual Metrics evaluate() = 0;

  /// Whether the configured number of evaluations in a row reached the target accuracy.
  virtual bool reached_target() const = 0;

  /// Whether the last evaluation was the best of the run by RunConfig::best_by.
  virtual bool is_best() const = 0;

  /// Writes only the weights to one file, from which a run can start. The file gets its name when
  /// it is complete. Called on one rank.
  virtual void save_weights(const std::string& path) = 0;
};

/// Saves and restores all state that training needs: weights, optimizer, random numbers and the
/// position in the epoch, of all ranks. On a CPU, a restored run continues bit for bit.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;

  /// Writes one file, which gets its name when it is complete. Called by all ranks together.
  virtual void save(const std::string& path) = 0;

  /// Restores and returns the position of the saved run; after the last step of an epoch, this is
  /// the start of the next epoch. Throws Error: no such file, not a checkpoint, damaged, or of
  /// another model, data set or batch size.
  virtual Position restore(const std::string& path) = 0;
};

/// The state that an earlier attempt at an inference left.
struct Resumed {
  std::string record;  ///< File name of the newest earlier attempt's record; empty: none.
  Position position;   ///< The same on all ranks.
};

/// The answers of an inference, in files that survive a kill. They replace checkpoints. Called by
/// all ranks together.
class AnswerLog {
 public:
  virtual ~AnswerLog() = default;

  /// Opens the log of this `attempt` in `folder`, the folder of the point. With `resume`, items
  /// that earlier attempts answered are skipped; without it, the answers of earlier attempts are
  /// removed. Called once, before the first epoch.
  virtual Resumed open(const std::filesystem::path& folder, const std::string& attempt,
                       bool resume) = 0;

  /// Merges the answers of all ranks and attempts into one file. Called at the end of a run that
  /// was not stopped.
  virtual void merge() = 0;
};

/// Writes images that a generative network makes.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual void sample(const std::string& png_path) = 0;
};

/// The parts of a workload in addition to its steps; nullptr if it does not have the part. All live
/// as long as the workload.
struct WorkloadParts {
  Evaluator* evaluator = nullptr;
  CheckpointStore* checkpoints = nullptr;
  AnswerLog* answers = nullptr;
  Sampler* sampler = nullptr;
};

/// The interface of the loop to the workload. Calls come from one thread. Every call may throw
/// RunError (out of memory, device lost); the run then fails with that text.
class Workload {
 public:
  virtual ~Workload() = default;

  /// The counts that are known before the first step.
  virtual record::Work describe() const = 0;

  virtual WorkloadParts parts() { return {}; }

  /// Starts epoch `epoch` (from 0); the order of the data depends only on seed and epoch. After a
  /// restore, the epoch of the checkpoint continues after its completed steps.
  virtual void start_epoch(std::int64_t epoch) = 0;

  /// Waits for the next batch and moves it to the device; samples == 0 at the end of the epoch.
  virtual Batch load_batch() = 0;

  /// Training: forward, backward and update on that batch; may return before the device is done.
  /// Inference: forward, until the answers are on the host.
  virtual void step() = 0;

  /// Returns when the device is idle; wall times are taken only after this.
  virtual void synchronize() = 0;

  /// Device times of completed steps that were not returned before; empty on a CPU. Waits until the
  /// device is at most two steps behind.
  virtual std::vector<DeviceTime> take_device_times() = 0;

  /// Seconds for which the last step waited for gradients of other ranks; 0 on a GPU, where
  /// DeviceTime contains them.
  virtual double take_gradient_sync_wait_s() { return 0; }

  /// Peak memory of the device in bytes; 0 on a CPU, where the peak memory of the process is used.
  virtual std::int64_t peak_device_memory_bytes() const { return 0; }
  /// The same of first steps that it leaves out, in which kernels are tried; 0 without any.
  virtual std::int64_t peak_device_memory_of_trials_bytes() const { return 0; }

  /// Running means of the losses (inference: of the scores of the answers) over this epoch so far.
  /// Waits for the device.
  virtual Metrics losses() = 0;

  /// Seconds since the last call that were spent on choosing algorithms by a measurement. They
  /// belong to no step and no evaluation: a later run on this machine does not spend them.
  virtual double take_kernel_choice_s() { return 0; }

  /// The algorithms chosen since the last call, by a measurement on this machine.
  virtual std::vector<record::KernelChoice> take_kernel_choices() { return {}; }

  /// Remarks for the record: images skipped, cache used.
  virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace epochcast::train
