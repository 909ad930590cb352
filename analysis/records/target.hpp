// The accuracy that a run was to reach, and whether it did.
#pragma once

#include <cstdint>
#include <optional>

#include "src/record/record.hpp"

namespace epochcast::analysis {

/// So many epochs in a row at this accuracy or above, on held-out data.
struct Target {
  double accuracy = 0;
  std::int64_t patience = 1;
};

/// That of the run's parameters; nothing if it had none.
std::optional<Target> target_of(const record::Record& record);

/// The end of the epoch that completed the target: where the published study stops its clock.
struct Reached {
  std::int64_t epochs = 0;  ///< Passes over the data until then.
  double training_s = 0;    ///< Their length without evaluation, as the study counts.
  double wall_s = 0;        ///< From the start of the first, everything included.
};

/// Nothing if the record does not show it from its first epoch on.
std::optional<Reached> reached(const record::Record& record, const Target& target);

/// The highest accuracy after any epoch; nothing if none was evaluated there.
std::optional<double> best_accuracy(const record::Record& record);

}  // namespace epochcast::analysis
