// Which records are runs of the same program elsewhere, and what they say as reference runs
// (src/forecast/run/reference_runs.hpp).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/forecast/run/reference_runs.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/record/comparable.hpp"
#include "src/record/load.hpp"

namespace epochcast::forecast {

/// A record, and whether it is a reference run of another.
struct RelatedRecord {
  std::string path;
  std::string system;       ///< Allocation, device and number of processes.
  double epochs = 0;        ///< Those that it has.
  std::string left_out;     ///< Why it is no reference run; "": it is one.
  ReferenceRun whole = {};  ///< If it is one.
};

/// Of each candidate whether it is a reference run of `pilot`: another run with all its epochs, in
/// one attempt, neither tainted nor disturbed, that did the same work, that is, with the
/// same parameters. Those of its length, place, repeat, target and learning may differ
/// (comparable.hpp, epoch_parameters), those with which importers name a run and where it ran, and
/// `may_differ`; the number of samples in an epoch must not, where both state it.
std::vector<RelatedRecord> reference_records(const record::LoadedRecord& pilot,
                                             const std::vector<record::LoadedRecord>& candidates,
                                             const record::ParameterNames& may_differ);

/// Those of them that are reference runs.
std::vector<ReferenceRun> reference_runs_among(const std::vector<RelatedRecord>& all);

/// Whether the record has a parameter by which its program is told from others. Imported logs may
/// have none.
bool states_its_program(const record::Record& record, const record::ParameterNames& may_differ);

/// forecast_from_reference_runs() of a recorded run of this length. Also refused: there is no
/// reference run, or the length is given in steps and the record does not state the steps of an
/// epoch.
std::variant<FromReferenceRuns, Refusal> forecast_from_records(
    const record::Record& pilot, const RunLength& length,
    const std::vector<ReferenceRun>& reference_runs, const std::optional<Forecast>& without);

}  // namespace epochcast::forecast
