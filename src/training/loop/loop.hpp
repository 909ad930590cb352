// The training loop: epochs over a Workload. Writes all times to the record.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/measure/attempt/job_limit.hpp"
#include "src/measure/attempt/signals.hpp"
#include "src/record/run/outcome.hpp"
#include "src/record/run/run_config.hpp"
#include "src/record/writer.hpp"
#include "src/training/loop/checkpoint.hpp"
#include "src/training/loop/observer.hpp"
#include "src/training/loop/team.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

/// The objects that a training uses; all of them outlive the call.
struct TrainingParts {
  const run::RunConfig& config;
  const run::RunOutput& output;
  Workload& workload;
  Team& team;
  record::RecordWriter& record;
  std::filesystem::path folder;  ///< Folder of the point: images and checkpoints.
  CheckpointFile checkpoint;     ///< The file in which this attempt saves.
  std::vector<Observer*> observers;
  const Clock& clock;
  const attempt::StopFlag& stop;
  const attempt::JobLimit& job;
};

struct TrainingResult {
  bool stopped = false;                 ///< Can be resumed; false: it reached its end or limit.
  std::string text;                     ///< The reason for the end, in one line.
  std::vector<std::string> notes = {};  ///< Remarks for the record: the loss was not finite.
  run::FailureCause cause = run::FailureCause::none;
};

/// Trains from `from` to the last epoch, a limit of the configuration or a stop signal. Rows are
/// appended to the record at once and flushed every flush_interval and after each epoch. An Epoch
/// row counts only the part of the epoch that this attempt processed: after a resume within an
/// epoch it has fewer samples than the epoch. A stopped epoch has no row. Exceptions of the
/// workload and the record are not caught.
[[nodiscard]] TrainingResult train(const TrainingParts& parts, Position from);

}  // namespace epochcast::train
