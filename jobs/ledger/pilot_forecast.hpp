// The forecast of a full run from its pilot's record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/record/comparable.hpp"
#include "src/record/load.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

struct PilotForecast {
  /// Forecast, intervals, naive forecast and class; or no forecast, and the reason as remark. The
  /// intervals are those of the forecast alone, so that later forecasts can learn from them.
  ledger::LedgerRow row;
  double high_s = ledger::not_known;  ///< Upper end of the 95 % interval, adjusted by the ledger.
};

/// Runs that may show the shape of the one to forecast (src/forecast/run/reference_records.hpp).
struct KnownRuns {
  std::vector<record::LoadedRecord> records;
  record::ParameterNames may_differ;  ///< Parameters.
  std::string problem = {};           ///< Why there are fewer of them than were asked for.
};

/// Forecasts another run of `epochs` than the pilot: from its relatives among the known runs if
/// these agree, else from the pilot alone. The remark names the relatives.
PilotForecast forecast_from_pilot(const record::Record& pilot, std::int64_t epochs,
                                  const KnownRuns& known = {});

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

/// Why the number of epochs does not determine the length of a run of our trainer, by its row of
/// the index; "": it does.
std::string other_end(const Index& index, const CsvRow& row);

/// "2 epochs and 187 steps recorded", with the note of the record if there are none.
std::string shown_by(const record::Record& pilot);

}  // namespace epochcast::jobs
