// The forecast of a run of a program of the user's from its pilot's record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobs/ledger/pilot_forecast.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

/// The length of a run as its experiment says it.
struct ProgramLength {
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> steps;  ///< Of the whole run; stronger than the epochs.
};

/// Forecasts a run of `length`. Without one, of the epochs that the program itself stated in the
/// pilot, unless `has_arguments`: arguments of the pilot may have shortened those too. `known`: as
/// in forecast_from_pilot(); a run whose length is stated in steps has no relatives.
PilotForecast forecast_of_program(const record::Record& pilot, const ProgramLength& length,
                                  bool has_arguments, const KnownRuns& known = {});

/// "2 epochs and 187 steps recorded", with the note of the record if there are none.
std::string shown_by(const record::Record& pilot);

}  // namespace epochcast::jobs
