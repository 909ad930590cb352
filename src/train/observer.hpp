// Whoever watches a training go by: the progress line, the lab's log. The loop tells, and knows
// none of them.
#pragma once

#include "src/train/workload.hpp"

namespace epochcast::train {

/// All calls come from the loop's thread; their time counts as part of what was going on, so they
/// must be short.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether the losses are read after every batch, which makes the device wait; else only at the
  /// end of an epoch.
  virtual bool wants_losses() const { return false; }

  /// The data set and the network are open; their remarks (files skipped, cache used).
  virtual void opened(const std::vector<std::string>& /*notes*/) {}
  virtual void training_begins(const record::Work& /*work*/, const Position& /*from*/) {}
  virtual void epoch_begins(std::int64_t /*epoch*/) {}
  /// The batch is there, its step is about to start.
  virtual void step_begins(const Position& /*place*/) {}
  /// `losses` is empty unless some observer wants them.
  virtual void step_ends(const record::Iteration& /*row*/, const Metrics& /*losses*/) {}
  /// Scores of an evaluation within an epoch, behind the steps that led to `place`.
  virtual void evaluated(const Position& /*place*/, const Metrics& /*scores*/) {}
  /// The epoch and all behind it (picture, checkpoint) are done and flushed to the record.
  virtual void epoch_ends(const record::Epoch& /*row*/, const Metrics& /*metrics*/) {}
  /// `epoch` was the last one, since the target accuracy is reached; training_ends() follows.
  virtual void target_reached(std::int64_t /*epoch*/) {}
  /// The last epoch of a run that was not stopped is done.
  virtual void training_ends() {}
};

}  // namespace epochcast::train
