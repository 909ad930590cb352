// The forecast of a full run from its pilot's record.
#pragma once

#include <cstdint>

#include "src/ledger/ledger.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

struct PilotForecast {
  /// Forecast, intervals, naive forecast and class; or no forecast, and the reason as remark. The
  /// intervals are those of the forecast alone, so that later forecasts can learn from them.
  ledger::LedgerRow row;
  double high_s = ledger::not_known;  ///< Upper end of the 95 % interval, adjusted by the ledger.
};

/// Forecasts a run of `epochs`.
PilotForecast forecast_from_pilot(const record::Record& pilot, std::int64_t epochs);

/// The end of the record's last row, in seconds since the process started.
double last_time_s(const record::Record& record);

}  // namespace epochcast::jobs
