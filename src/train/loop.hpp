// The training loop: epochs over a Workload, with the time of everything written to the record.
#pragma once

#include <string>
#include <vector>

#include "src/core/clock.hpp"
#include "src/record/writer.hpp"
#include "src/run/run_config.hpp"
#include "src/train/checkpoint.hpp"
#include "src/train/observer.hpp"
#include "src/train/signals.hpp"
#include "src/train/team.hpp"
#include "src/train/workload.hpp"

namespace epochcast::train {

/// What a training works with; all of it outlives the call.
struct TrainingParts {
  const run::RunConfig& config;
  const run::RunOutput& output;
  Workload& workload;
  Team& team;
  record::RecordWriter& record;
  std::filesystem::path folder;  ///< The point's own: pictures and checkpoints.
  CheckpointFile checkpoint;     ///< Where this attempt saves.
  std::vector<Observer*> observers;
  const Clock& clock;
  const StopFlag& stop;
};

struct TrainingResult {
  bool stopped =
      false;  ///< By a signal, with a checkpoint to go on from; else by its end or its own limits.
  std::string text;  ///< Why it ended, in one line.
};

/// Trains from `from` to the last epoch, to a limit of the configuration or to a stop signal. Rows
/// reach the record as they arise and are flushed every flush_interval and at each epoch. An Epoch
/// row stands for what this attempt did of the epoch: behind a resume within an epoch it has fewer
/// samples than the epoch; a pass that was stopped has none. Whatever the workload or the record
/// throws passes through.
TrainingResult train(const TrainingParts& parts, Position from);

}  // namespace epochcast::train
