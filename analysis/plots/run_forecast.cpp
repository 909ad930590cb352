// One run and its forecast: what was seen, what the forecast expects of the rest with its
// intervals, and what happened, where the run went on.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/forecast/run/series_from_record.hpp"

namespace epochcast::analysis::plots {
namespace run_forecast_plot {

using Kind = plot::Series::Kind;

constexpr int seen_look = 0;
constexpr int forecast_look = 1;
constexpr int actual_look = 2;

/// The record as it was when `count` epochs had ended.
record::Record first_epochs(record::Record record, std::size_t count) {
  if (count >= record.epochs.size()) {
    return record;
  }
  const auto next = record.epochs[count];
  record.epochs.resize(count);
  std::erase_if(record.iterations, [&](const auto& row) { return row.epoch >= next.epoch; });
  std::erase_if(record.spans, [&](const auto& span) { return span.start_s >= next.start_s; });
  return record;
}

/// How many epochs the forecast may see: as many as asked for, else all of a run that has not
/// ended, and the first two of one that has, or the first one of two.
std::size_t epochs_to_see(const record::Record& record, std::size_t asked, std::int64_t epochs) {
  const auto recorded = record.epochs.size();
  const bool ended = record.epochs.back().epoch + 1 >= epochs;
  const auto of_ended_run = std::min<std::size_t>(2, recorded - 1);
  return std::min(asked > 0 ? asked : ended ? of_ended_run : recorded, recorded);
}

/// Why there is no forecast of the record to draw; "" if there is one.
std::string no_picture(const record::Record& record, std::size_t asked) {
  const auto epochs = record::epochs_of(record);
  if (epochs <= 0) {
    return "the number of epochs is not recorded";
  }
  if (record.epochs.empty()) {
    return "no epoch is recorded";
  }
  const auto first = record.epochs.front().epoch;
  if (first > 0 && record.header.resumed_from.view().empty()) {
    return fmt::format("its first recorded epoch is epoch {}: when those before ended is not known",
                       first + 1);
  }
  const auto count = epochs_to_see(record, asked, epochs);
  if (count == 0 || record.epochs[count - 1].epoch + 1 >= epochs) {
    return fmt::format("all its {} have ended: nothing is left to forecast",
                       counted(static_cast<std::size_t>(epochs), "epoch"));
  }
  return "";
}

double end_s(const record::Epoch& epoch) {
  return epoch.start_s + epoch.wall_s;
}

/// A run, its part that was seen, and its number of epochs.
struct Run {
  const LoadedRecord& loaded;
  record::Record seen;
  std::int64_t epochs = 0;

  const std::vector<record::Epoch>& all() const { return loaded.record.epochs; }
  std::size_t count() const { return seen.epochs.size(); }
};

plot::Series epoch_points(const Run& run, const std::string& name, std::size_t from, std::size_t to,
                          int look, double (*value)(const record::Epoch&)) {
  plot::Series series{.name = name, .kind = Kind::line_points, .look = look};
  for (std::size_t i = from; i < to; ++i) {
    const auto& epoch = run.all()[i];
    series.points.push_back({.x = static_cast<double>(epoch.epoch + 1), .y = value(epoch)});
  }
  return series;
}

/// What was seen, and what followed.
void add_epochs(plot::Chart& chart, const Run& run, double (*value)(const record::Epoch&)) {
  chart.series.push_back(epoch_points(run, "seen", 0, run.count(), seen_look, value));
  if (run.all().size() > run.count()) {
    chart.series.push_back(epoch_points(run, "not seen by the forecast", run.count(),
                                        run.all().size(), actual_look, value));
  }
}

/// The forecasts of runs that end after each further epoch, up to the whole run: at most `most` of
/// them, evenly spaced.
std::vector<std::pair<double, forecast::Forecast>> forecasts_ahead(const Run& run) {
  constexpr std::int64_t most = 40;
  const auto from = run.seen.epochs.back().epoch + 1;
  const auto to = run.epochs;
  const auto step = std::max<std::int64_t>(1, (to - from + most - 1) / most);
  std::vector<std::pair<double, forecast::Forecast>> ahead;
  for (auto epochs = from + step; epochs < to + step; epochs += step) {
    const auto at = std::min(epochs, to);
    const auto answer = forecast::forecast_of(run.seen, {.epochs = at});
    if (const auto* found = std::get_if<forecast::Forecast>(&answer)) {
      ahead.emplace_back(static_cast<double>(at), *found);
    }
  }
  return ahead;
}

plot::Series band_of(const std::string& name,
                     const std::vector<std::pair<double, forecast::Forecast>>& ahead,
                     plot::Point start, forecast::Interval forecast::Prediction::*interval) {
  plot::Series band{.name = name, .kind = Kind::band, .look = forecast_look};
  start.low = start.y;
  start.high = start.y;
  band.points.push_back(start);
  for (const auto& [epochs, found] : ahead) {
    band.points.push_back({.x = epochs,
                           .y = found.total_s.value,
                           .low = (found.total_s.*interval).low,
                           .high = (found.total_s.*interval).high});
  }
  return band;
}

void add_forecast(plot::Chart& chart, const Run& run) {
  const auto ahead = forecasts_ahead(run);
  if (ahead.empty()) {
    return;
  }
  const auto& last = run.seen.epochs.back();
  const plot::Point start{.x = static_cast<double>(last.epoch + 1), .y = end_s(last)};
  chart.series.push_back(
      band_of("95 % interval", ahead, start, &forecast::Prediction::interval_95));
  chart.series.back().faint = true;
  chart.series.push_back(
      band_of("80 % interval", ahead, start, &forecast::Prediction::interval_80));
  plot::Series line{
      .name = "forecast", .kind = Kind::line, .points = {start}, .look = forecast_look};
  line.dashed = true;
  for (const auto& [epochs, found] : ahead) {
    line.points.push_back({.x = epochs, .y = found.total_s.value});
  }
  chart.series.push_back(std::move(line));
}

std::string name_of(const LoadedRecord& loaded) {
  const auto point = loaded.record.header.point.str();
  return point.empty() ? loaded.path : point;
}

plot::Chart elapsed_chart(const Run& run) {
  plot::Chart chart{
      .name = "elapsed",
      .title = "Forecast of " + name_of(run.loaded),
      .x = {.label = "epochs done", .whole = true},
      .y = {.label = "time since the start of the program", .unit = "s", .from_zero = true}};
  add_forecast(chart, run);
  add_epochs(chart, run, end_s);
  return chart;
}

plot::Chart epoch_chart(const Run& run) {
  plot::Chart chart{.name = "epochs",
                    .title = "Forecast of " + name_of(run.loaded),
                    .x = {.label = "epoch, from 1", .whole = true},
                    .y = {.label = "time of an epoch", .unit = "s", .from_zero = true}};
  add_epochs(chart, run, [](const record::Epoch& epoch) { return epoch.wall_s; });
  return chart;
}

std::string outcome_words(const Run& run, const forecast::Forecast& found) {
  auto words = fmt::format("forecast {:.4g} s, 80 % {:.4g} to {:.4g} s, 95 % {:.4g} to {:.4g} s",
                           found.total_s.value, found.total_s.interval_80.low,
                           found.total_s.interval_80.high, found.total_s.interval_95.low,
                           found.total_s.interval_95.high);
  if (run.all().size() > run.count() && run.all().back().epoch + 1 >= run.epochs) {
    words += fmt::format("; the last epoch ended after {:.4g} s", end_s(run.all().back()));
  }
  return words;
}

/// The time of an epoch that the forecast extrapolates; steps may be epochs or iterations.
void add_steady(plot::Chart& chart, const forecast::Forecast& found) {
  const double epoch_s = found.steady_step_s;
  chart.references.push_back({.direction = plot::Reference::Direction::horizontal,
                              .at = epoch_s,
                              .label = fmt::format("extrapolated: {:.4g} s", epoch_s)});
}

/// "the first 2 of 10 epochs", of an attempt that resumed another "epochs 6 to 7 of 10".
std::string seen_words(const Run& run) {
  const auto first = run.seen.epochs.front().epoch;
  const auto of = counted(static_cast<std::size_t>(run.epochs), "epoch");
  return first == 0 ? fmt::format("forecast from the first {} of {}", run.count(), of)
                    : fmt::format("resumed; forecast from epochs {} to {} of {}", first + 1,
                                  run.seen.epochs.back().epoch + 1, of);
}

/// If `with_epochs` the time of each epoch, and the time since the start with its forecast.
std::vector<plot::Chart> charts_of_run(const LoadedRecord& loaded, std::size_t asked,
                                       bool with_epochs) {
  const auto& record = loaded.record;
  if (auto reason = no_picture(record, asked); !reason.empty()) {
    plot::Chart none;
    none.notes.push_back(std::move(reason));
    return {none};
  }
  const auto epochs = record::epochs_of(record);
  const Run run{loaded, first_epochs(record, epochs_to_see(record, asked, epochs)), epochs};
  std::vector<plot::Chart> charts{elapsed_chart(run)};
  if (with_epochs) {
    charts.front().title = "Time since the start of the program";
    charts.insert(charts.begin(), epoch_chart(run));
  }
  const auto answer = forecast::forecast_of(run.seen, {.epochs = epochs});
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    charts.front().title = "Refused forecast of " + name_of(loaded);
    for (auto& chart : charts) {
      chart.notes.push_back("no forecast: " + refusal->reason);
    }
  } else {
    const auto& found = std::get<forecast::Forecast>(answer);
    charts.front().notes = found.reasons;
    charts.back().notes.push_back(outcome_words(run, found));
    if (with_epochs) {
      add_steady(charts.front(), found);
    }
  }
  for (auto& chart : charts) {
    chart.subtitle = joined({record.header.allocation.str(), device_of(record), seen_words(run),
                             source_words({loaded})});
  }
  return charts;
}

/// The times of single epochs are drawn where there is one run: a picture of several is high
/// enough.
std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto asked = options.epochs_seen;
  const auto can_draw = [&](const record::Record& record) {
    return no_picture(record, asked).empty();
  };
  const bool one = std::ranges::count_if(records, can_draw, &LoadedRecord::record) == 1;
  return charts_of_first_runs(records, "epochs", can_draw, [&](const LoadedRecord& loaded) {
    return charts_of_run(loaded, asked, one);
  });
}

}  // namespace run_forecast_plot

PlotSpec run_forecast() {
  return {.summary = "each run and its forecast: epochs seen, intervals of the rest, the outcome",
          .needs = "records of runs with a known number of epochs, from the first one on",
          .make = run_forecast_plot::make,
          .rows = record::Rows::all,
          .detail = true};
}

}  // namespace epochcast::analysis::plots
