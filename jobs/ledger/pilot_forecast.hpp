// What a pilot's record says of the full run.
#pragma once

#include <cstdint>

#include "src/ledger/ledger.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

struct PilotForecast {
  /// Forecast, intervals, naive forecast and class, or forecast_s not known and the refusal as
  /// remark. The intervals are those of the forecast alone, so that the next one learns from these.
  ledger::LedgerRow row;
  double high_s =
      ledger::not_known;  ///< Upper end of the 95 % interval with what the ledger taught it.
};

/// Of a run of `epochs`.
PilotForecast forecast_from_pilot(const record::Record& pilot, std::int64_t epochs);

/// From the start of the job until the program's, in seconds; 0 where the record does not say.
/// AllocationProfile set-up, modules and containers take this time from the limit.
double before_program_s(const record::Record& record);

/// When the program of a record ended on its own clock: the end of its last row, in seconds since
/// the process started.
double last_time_s(const record::Record& record);

}  // namespace epochcast::jobs
