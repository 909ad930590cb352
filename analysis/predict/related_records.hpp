// Which records are runs of the same program elsewhere, and what they say as relatives
// (src/forecast/relatives.hpp).
#pragma once

#include <string>
#include <vector>

#include "analysis/records/comparable.hpp"
#include "analysis/records/records.hpp"
#include "src/forecast/relatives.hpp"

namespace epochcast::analysis {

/// A record, and whether it is a relative of another.
struct Related {
  std::string path;
  std::string system;             ///< Allocation, device and number of processes.
  double epochs = 0;              ///< Those that it has.
  std::string left_out;           ///< Why it is no relative; "": it is one.
  forecast::Relative whole = {};  ///< If it is one.
};

/// Of each candidate whether it is a relative of `pilot`: another run with all its epochs, in one
/// attempt, neither tainted nor disturbed, that did the same work, which is to say with the same
/// parameters. Those of its length, place, repeat, target and learning may differ
/// (comparable.hpp, epoch_parameters), those with which importers name a run and where it ran, and
/// `may_differ`; the number of samples in an epoch must not, where both state it.
std::vector<Related> related_records(const LoadedRecord& pilot,
                                     const std::vector<LoadedRecord>& candidates,
                                     const ParameterNames& may_differ);

/// Whether the record has a parameter by which its program is told from others. Imported logs may
/// have none.
bool states_its_program(const record::Record& record, const ParameterNames& may_differ);

}  // namespace epochcast::analysis
