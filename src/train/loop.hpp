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

/// What a training uses; all of it outlives the call.
struct TrainingParts {
  const run::RunConfig& config;
  const run::RunOutput& output;
  Workload& workload;
  Team& team;
  record::RecordWriter& record;
  std::filesystem::path folder;  ///< Of the point: pictures and checkpoints.
  CheckpointFile checkpoint;     ///< Where this attempt saves.
  std::vector<Observer*> observers;
  const Clock& clock;
  const StopFlag& stop;
};

struct TrainingResult {
  bool stopped =
      false;         ///< By a signal, and it can be resumed; false: it reached its end or limit.
  std::string text;  ///< Why it ended, in one line.
  std::vector<std::string> notes = {};  ///< For the record: the loss was not finite.
};

/// Trains from `from` to the last epoch, to a limit of the configuration or to a stop signal. Rows
/// are appended to the record at once and flushed every flush_interval and after each epoch. An
/// Epoch row counts what this attempt did of the epoch: after a resume within an epoch it has fewer
/// samples than the epoch; an epoch that was stopped has no row. Exceptions of the workload and the
/// record pass through.
[[nodiscard]] TrainingResult train(const TrainingParts& parts, Position from);

}  // namespace epochcast::train
