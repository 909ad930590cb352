// Converts the times of a record to the input of the forecast.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/record/record.hpp"

namespace epochcast::forecast {

/// The name of the span in which importers store a total that the source itself printed.
inline constexpr std::string_view total_span = "total";

/// The name of the span in which importers store what follows the last epoch of a log that does not
/// show the end of the run: until the next epoch begins, or the log ends.
inline constexpr std::string_view after_last_span = "after_last_epoch";

/// Whether its epochs are the blocks of a log, which differ in their work: what that is, samples,
/// steps or tokens, is the parameter `block_work`.
bool has_blocks(const record::Record& record);

using Iterations = std::vector<const record::Iteration*>;

/// How many steps `row` stands for, after the row `before`. A program that is not ours prints every
/// so many, and a row has their mean.
std::int64_t steps_of_row(const record::Iteration& row, const record::Iteration& before);

/// The same for the first row, if the second stands for `of_second`: as many, but not more than its
/// epoch has had.
std::int64_t steps_of_first_row(const record::Iteration& first, std::int64_t of_second);

/// How many steps each row stands for.
std::vector<std::int64_t> steps_of_rows(const Iterations& iterations);

/// The iterations of rank 0 with their samples, and the time after epochs: what lies between two of
/// them (gaps.hpp), and the end of an epoch's wall time that is in no iteration (the GPU is still
/// busy). Uses whole epochs if single iterations were not recorded, or fewer than ten, or if they
/// are blocks. `epochs` is the number of epochs of the whole run, earlier attempts included;
/// `unfinished` is the part of the last of them that it does not do.
RunSeries series_of(const record::Record& record, std::int64_t epochs, double unfinished = 0);

/// forecast(series_of(...)), with an additional reason if no epoch has ended yet. If a record
/// contains no step, or lacks the first epochs of a run that was not resumed, the forecast uses the
/// total that the source printed. It is refused if the source printed no total. `schedules`: in
/// epochs.
std::variant<Forecast, Refusal> forecast_of(const record::Record& record, std::int64_t epochs,
                                            double unfinished = 0,
                                            std::vector<Schedule> schedules = {});

/// The naive forecast: the time before the first epoch, and `epochs` times this epoch with its
/// evaluation and checkpoint. std::nullopt if the record does not contain the end of the first
/// epoch.
std::optional<double> naive_total_s(const record::Record& record, double epochs);

}  // namespace epochcast::forecast
