// How long a whole run would take on another device, from its forecast on its own.
#pragma once

#include <string>

#include "analysis/predict/time_on_device.hpp"
#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/run_length.hpp"

namespace epochcast::analysis {

/// A run as it is forecast where it was measured.
struct RunHere {
  forecast::Prediction total_s;
  /// The part that does not depend on the device: what comes before the first step, and what more
  /// workers lose to each other.
  double fixed_s = 0;
};

/// The forecast as such a run: all but the time before the first step depends on the device.
RunHere run_here(const forecast::Forecast& forecast);

/// The same on the other device: its steps take as much longer or shorter as one step does
/// (OnDevice::time), the fixed part stays as it is, 30 % more or less. The errors of the ratio, of
/// the fixed part and of the forecast here are independent and add up in quadrature. There must be
/// an answer and no flag.
forecast::Prediction run_on_device(const RunHere& here, const OnDevice& on_device);

/// The run of `length` here and there; without a row where it is refused, with the reason as
/// a note.
table::Table run_table(const OnDeviceQuestion& question, const OnDevice& on_device,
                       const forecast::RunLength& length);

}  // namespace epochcast::analysis
