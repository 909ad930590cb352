// The accuracy that a run had to reach, and whether it did.
#pragma once

#include <cstdint>
#include <optional>

#include "src/record/record.hpp"

namespace epochcast::analysis {

/// A number of consecutive epochs (`patience`) at this accuracy or above, on held-out data.
struct AccuracyTarget {
  double accuracy = 0;
  std::int64_t patience = 1;
};

/// The target in the run's parameters; std::nullopt if it had none.
std::optional<AccuracyTarget> target_of(const record::Record& record);

/// The end of the epoch that completed the target: where the published study stops its clock.
struct Reached {
  std::int64_t epochs = 0;  ///< Passes over the data until then.
  double training_s = 0;    ///< Their length without evaluation, as the study counts.
  double wall_s = 0;        ///< From the start of the first, everything included.
};

/// std::nullopt if the record does not begin with its first epoch, or did not reach the target.
std::optional<Reached> reached(const record::Record& record, const AccuracyTarget& target);

}  // namespace epochcast::analysis
