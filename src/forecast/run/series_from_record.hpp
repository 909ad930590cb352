// Converts the times of a record to the input of the forecast.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "src/forecast/run/forecast.hpp"
#include "src/forecast/run/observed_run.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/record/record.hpp"

namespace epochcast::forecast {

/// The name of the span in which importers store a total that the source itself printed.
inline constexpr std::string_view total_span = "total";

/// Seconds of the span `total`; std::nullopt: the record has none.
std::optional<double> stated_total_s(const record::Record& record);

/// Whether its epochs are the blocks of a log, which differ in their work: what that is, samples,
/// steps or tokens, is the parameter `block_work`.
bool has_blocks(const record::Record& record);

/// observed(record).series(length).
RunSeries series_of(const record::Record& record, const RunLength& length);

/// forecast(series_of(...)) of a run of this length, and one_bar(). Without schedules in the
/// length, those that the record states. If a record contains no step, or lacks the first epochs of
/// a run that was not resumed, the forecast uses the total that the source printed; it is refused
/// if the source printed no total.
std::variant<Forecast, Refusal> forecast_of(const record::Record& record, const RunLength& length);

/// The naive forecast: the time before the first epoch, and `epochs` times this epoch with its
/// evaluation and checkpoint. std::nullopt if the record does not contain the end of the first
/// epoch.
std::optional<double> naive_total_s(const record::Record& record, double epochs);

}  // namespace epochcast::forecast
