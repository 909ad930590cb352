// What a record says of its run's times, as the forecast takes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "src/forecast/forecast.hpp"
#include "src/record/record.hpp"

namespace epochcast::forecast {

/// The span in which importers keep a total that its source printed itself.
inline constexpr std::string_view total_span = "total";

/// The iterations of rank 0 by their samples, and what comes after epochs: the end of an epoch's
/// wall time that is in no iteration (a GPU that is still at work), evaluation, checkpoint. Where
/// single iterations were not recorded, or less than ten, whole epochs instead. `epochs`: of the
/// whole run, earlier attempts included.
Series series_of(const record::Record& record, std::int64_t epochs);

/// forecast(series_of(...)), with a reason more where no epoch ended yet. A record that holds no
/// step, or not the first epochs of a run that was not resumed, tells less: its forecast is from
/// the total that its source printed, refused where it printed none.
std::variant<Forecast, Refusal> forecast_of(const record::Record& record, std::int64_t epochs);

/// The naive forecast: `epochs` times the time until the end of epoch 1. Nothing if the record
/// does not hold the end of the first epoch.
std::optional<double> naive_total_s(const record::Record& record, std::int64_t epochs);

}  // namespace epochcast::forecast
