// A network (or GAN pair) with its data, optimizers and device, as the training loop sees it. No
// LibTorch type stands here, so the loop compiles in a second and its tests run on a fake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/record/record.hpp"
#include "src/run/run_config.hpp"

namespace epochcast::train {

/// A number the training reports, as (name, value): loss_d, loss, val_accuracy.
using Metrics = std::vector<std::pair<std::string, double>>;

/// The metric called `name`; 0 where it is not there.
double metric(const Metrics& metrics, std::string_view name);

/// A batch that stands on the device.
struct Batch {
  std::int64_t samples = 0;  ///< 0: the epoch is over.
  double work = 0;           ///< Counted FLOPs of its step.
};

/// The time one step took on the device.
struct DeviceTime {
  std::int64_t iteration = 0;  ///< Counted from the start of the run.
  double seconds = 0;
  double gradient_sync_wait_s = 0;  ///< Of which waiting for the gradients of other ranks.
};

/// How far a run has come.
struct Position {
  std::int64_t epoch = 0;      ///< From 0.
  std::int64_t iteration = 0;  ///< Steps of that epoch already done.
};

/// What a run goes on from that has files of its own.
struct Resumed {
  std::string
      record;  ///< File name of the record of the newest earlier attempt; empty: it begins anew.
  Position place;  ///< The same on all ranks.
};

/// The whole loop knows nothing else of what it trains. Calls come from one thread. Every call may
/// throw RunError (out of memory, device lost); the run then ends as failed with that text.
class Workload {
 public:
  virtual ~Workload() = default;

  /// What is computed: counts known before the first step.
  virtual record::Work describe() const = 0;

  /// Begins pass `epoch` (from 0) over the data; the order depends on seed and epoch only. Behind a
  /// restore the epoch it stopped in goes on after the steps already done.
  virtual void start_epoch(std::int64_t epoch) = 0;

  /// Waits for the next batch and moves it to the device; samples == 0 at the end of the epoch.
  virtual Batch load_batch() = 0;

  /// Forward, backward, update on that batch; may return before the device is done. Where the task
  /// is to infer: forward, until the answers are there.
  virtual void step() = 0;

  /// Returns when the device is idle; a wall time is taken only after this.
  virtual void synchronize() = 0;

  /// Device times of finished steps not handed out before; never waits. Empty on a CPU.
  virtual std::vector<DeviceTime> take_device_times() = 0;

  /// Seconds for which the last step waited for the gradients of other ranks; 0 on a GPU, where
  /// that comes with its device time.
  virtual double take_gradient_sync_wait_s() { return 0; }

  /// The most memory of its device that it has held at once so far; 0 on a CPU, where it is the
  /// process's.
  virtual std::int64_t peak_device_memory_bytes() const { return 0; }

  /// Running means of the losses (or, of answers, their accuracy) over this epoch so far. Waits for
  /// the device.
  virtual Metrics losses() = 0;

  /// Scores on held-out data, val_loss, val_accuracy, ...; empty where there is none.
  virtual Metrics evaluate() = 0;

  /// Whether as many evaluations in a row as the configuration asks for were at its target
  /// accuracy.
  virtual bool reached_target() const { return false; }

  /// Whether the last evaluation was the best of the run by what the configuration calls best.
  virtual bool is_best() const { return false; }

  /// Writes the weights alone, in one file that a run can begin with, complete before it gets its
  /// name. For one rank.
  virtual void save_weights(const std::string& /*path*/) {}

  /// Writes a picture of what the network makes; false where it makes none.
  virtual bool sample(const std::string& png_path) = 0;

  /// Whether there is anything to save.
  virtual bool keeps_state() const { return true; }

  /// Everything that training on needs, of all ranks (weights, optimizer, random numbers, place in
  /// the epoch), in one file, complete before it gets its name. A run restored from it goes on bit
  /// for bit on a CPU.
  virtual void save(const std::string& path) = 0;
  /// Returns where the saved run stood; behind the last step of an epoch that is the start of the
  /// next. Throws Error: no such file, no checkpoint of ours, one of another model, data set or
  /// batch size.
  virtual Position restore(const std::string& path) = 0;

  /// For a workload that keeps what it has done in files of its own instead of a state
  /// (keeps_state() is false): opens them in `folder`, which is the point's, under the name of this
  /// `attempt`. `resume`: what earlier attempts left there is not done again; else it goes. Called
  /// once, before the first epoch, by all ranks together.
  virtual Resumed resume(const std::filesystem::path& /*folder*/, const std::string& /*attempt*/,
                         bool /*resume*/) {
    return {};
  }
  /// Brings together what all ranks and attempts have done, once a run ends that was not stopped.
  /// Called by all ranks together.
  virtual void bring_together() {}

  /// Remarks for the record: images skipped, cache used.
  virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace epochcast::train
