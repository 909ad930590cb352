// One attempt at a point, from the record's first byte to its outcome. Whatever happens behind the
// record's creation is in the record.
#pragma once

#include <functional>
#include <memory>

#include "src/core/error.hpp"
#include "src/ranks/reported_by_peer.hpp"
#include "src/train/loop.hpp"

namespace epochcast::train {

struct Attempt {
  run::RunConfig config;
  run::RunOutput output;
  std::int64_t rank = 0;  ///< Only rank 0 has a record.
  record::Record start;  ///< Header, parameters, machine, allocation: what is known before the run.
  /// Meets the other ranks; called once, before make_workload.
  std::function<std::unique_ptr<Team>()> join = [] { return std::make_unique<TeamOfOne>(); };
  std::function<std::unique_ptr<Workload>()> make_workload;
  std::vector<Observer*> observers;
};

/// Makes `folder` with those above it. Throws RunError where that cannot be.
void make_folder(const std::filesystem::path& folder);

/// <records>/<point>-<job>[-r<restart>].h5
std::filesystem::path record_path(const run::RunOutput& output, const record::RecordHeader& header);

/// Makes the record, trains, and closes the record: complete, stopped (exit_stopped), or failed,
/// which is thrown with the same text once the record has it: as RunError, or as Error where the
/// input was bad. Of several ranks one throws that, the others ReportedByPeer; the connections
/// between them are then left as they are, since to close them may take for ever, so the process
/// must be ended by _exit().
ExitStatus run_attempt(const Attempt& attempt, const Clock& clock, const StopFlag& stop);

}  // namespace epochcast::train
