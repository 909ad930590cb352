// One attempt at a point, from the creation of its record to its outcome. Everything that happens
// after the record is created is recorded in it.
#pragma once

#include <functional>
#include <memory>

#include "src/base/core/error.hpp"
#include "src/training/loop/loop.hpp"

namespace epochcast::train {

struct Attempt {
  run::RunConfig config;
  run::RunOutput output;
  std::int64_t rank = 0;  ///< Only rank 0 has a record.
  record::Record start;  ///< Header, parameters, machine, allocation: what is known before the run.
  /// Connects the ranks; called once, before make_workload.
  std::function<std::unique_ptr<Team>()> join = [] { return std::make_unique<TeamOfOne>(); };
  std::function<std::unique_ptr<Workload>(Team&)> make_workload;
  std::vector<Observer*> observers;
  attempt::JobLimit job = {};
};

/// Creates the record, trains, and closes the record: complete, stopped (exit_stopped) or failed. A
/// failure is recorded and then thrown: as Error if the input was bad, else as RunError. Of several
/// ranks, one throws it and the others throw ReportedByPeer. Their connections stay open, because
/// closing them may never return: the process must end with _exit().
[[nodiscard]] ExitStatus run_attempt(const Attempt& attempt, const Clock& clock,
                                     const attempt::StopFlag& stop);

}  // namespace epochcast::train
