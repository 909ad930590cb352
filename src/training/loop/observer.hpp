// Observers of a training: the progress line, the log of a published program.
#pragma once

#include "src/forecast/run/observed_run.hpp"
#include "src/record/writer.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast::train {

/// All calls come from the thread of the loop and are part of the times that it measures, so they
/// must be short.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether to read the losses after every batch, which waits for the device. If false, they are
  /// read only at the end of an epoch.
  virtual bool wants_losses() const { return false; }

  /// The data set and the network are open; `notes` are their remarks (files skipped, cache used).
  virtual void opened(const std::vector<std::string>& /*notes*/) {}
  /// `run` has what the record has of each step and epoch before the observers are told of it.
  virtual void training_begins(const record::Work& /*work*/, const Position& /*from*/,
                               const forecast::ObservedRun& /*run*/) {}
  virtual void epoch_begins(std::int64_t /*epoch*/) {}
  /// The batch is loaded, its step is about to start.
  virtual void step_begins(const Position& /*position*/) {}
  /// `losses` is empty unless an observer wants them.
  virtual void step_ends(const record::Iteration& /*row*/, const Metrics& /*losses*/) {}
  /// Scores of an evaluation within an epoch, after the steps that led to `position`.
  virtual void evaluated(const Position& /*position*/, const Metrics& /*scores*/) {}
  /// The rows of an epoch are appended, or an epoch was cut off; `end_s`: now, after what follows
  /// it.
  virtual void epoch_recorded(const record::Epoch& /*row*/, double /*end_s*/) {}
  /// The epoch and what follows it (sample image, checkpoint) are done and flushed to the record.
  virtual void epoch_ends(const record::Epoch& /*row*/, const Metrics& /*metrics*/) {}
  /// The target accuracy was reached in `epoch`, the last one; training_ends() follows.
  virtual void target_reached(std::int64_t /*epoch*/) {}
  /// The run stops before an epoch that would not end before its job; `why` in one line.
  virtual void stops(const std::string& /*why*/) {}
  /// The last epoch of a run that was not stopped is done.
  virtual void training_ends() {}
  /// No step follows: the run is done, or stopped by a signal or a limit.
  virtual void run_ends() {}
  /// Adds rows of its own to the record; called before each flush.
  virtual void append_rows(record::RecordWriter& /*record*/) {}
};

}  // namespace epochcast::train
