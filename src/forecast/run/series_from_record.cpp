#include "src/forecast/run/series_from_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/record/queries.hpp"

namespace epochcast::forecast {

bool has_blocks(const record::Record& record) {
  return std::ranges::any_of(record.parameters,
                             [](const auto& row) { return row.name.view() == "block_work"; });
}

namespace {

/// Whether the run did epochs whose times the record lacks: it did not resume an earlier attempt,
/// and the time before its first step is shorter than `series.epochs_before` epochs at the shortest
/// step time.
bool lacks_first_epochs(const record::Record& record, const RunSeries& series) {
  const bool has_first = !record.epochs.empty() && record.epochs.front().epoch == 0;
  if (!(series.epochs_before > 0) || has_first || !record.header.resumed_from.view().empty()) {
    return false;
  }
  double quickest_s = std::numeric_limits<double>::infinity();  // of a step or epoch
  for (std::size_t i = 0; i < series.step_s.size(); ++i) {
    const double steps = series.of_steps ? series.step_work[i] : 1;
    quickest_s = std::min(quickest_s, series.step_s[i] / steps);
  }
  const double per_epoch = series.of_steps ? series.work_per_epoch : 1;
  return series.before_s < series.epochs_before * per_epoch * quickest_s;
}

/// The printed total as one step that does the work of all its epochs.
std::variant<Forecast, Refusal> forecast_of_total(const record::Record& record, double total_s,
                                                  std::int64_t epochs) {
  const auto of = static_cast<double>(record::epochs_of(record));
  auto answer = forecast({.step_s = {total_s},
                          .step_work = {of},
                          .steps_per_epoch = 1,
                          .work_per_epoch = 1,
                          .epochs = epochs});
  if (auto* found = std::get_if<Forecast>(&answer)) {
    found->parts = {{PartKind::before, 0},
                    {PartKind::first_step, 0},
                    {PartKind::other_steps, found->total_s.value},
                    {PartKind::after_epochs, 0}};
    found->spent_s = 0;
    *found = for_another_run(*found);
    found->reasons = {
        fmt::format("from the printed total of its {:g} epoch{}", of, of == 1 ? "" : "s")};
  }
  return answer;
}

/// Whether each epoch, or block, from the first on states its samples.
bool counts_samples(const record::Record& record) {
  return (record::first_rank(record).empty() || has_blocks(record)) && !record.epochs.empty() &&
         record.epochs.front().epoch == 0 &&
         std::ranges::all_of(record.epochs, [](const auto& epoch) { return epoch.samples > 0; });
}

std::string begins_late(const record::Record& record) {
  return fmt::format("the record begins within epoch {}: how long those before took is not known",
                     record::first_rank(record).front()->epoch + 1);
}

bool begin_is_unknown(const record::Record& record) {
  return std::ranges::any_of(record.spans, [](const auto& span) {
    return span.name.view() == record::begin_unknown_span;
  });
}

/// A log that prints at the ends of epochs does not show when its first one began.
std::string lacks_first_text(std::int64_t epochs) {
  const auto which = epochs == 1
                         ? std::string("epoch 1 is not in the record: it is")
                         : fmt::format("epochs 1 to {} are not in the record: they are", epochs);
  return which + " forecast like the others, and may have taken longer";
}

}  // namespace

std::optional<double> stated_total_s(const record::Record& record) {
  const auto found = std::ranges::find_if(
      record.spans, [](const auto& span) { return span.name.view() == total_span; });
  return found == record.spans.end() ? std::nullopt : std::optional(found->duration_s);
}

RunSeries series_of(const record::Record& record, const RunLength& length) {
  return observed(record).series(length);
}

std::variant<Forecast, Refusal> forecast_of(const record::Record& record, const RunLength& given) {
  const auto length = given.schedules.empty() ? with_stated_schedules(record, given) : given;
  const bool in_samples = length.samples > 0;
  if (in_samples && !counts_samples(record)) {
    const auto per_epoch = record.work.empty() ? 0 : record.work.front().samples_per_epoch;
    if (per_epoch == 0) {
      return Refusal{
          "the length of the run is given in samples, but the record does not count those of its "
          "epochs"};
    }
    return forecast_of(record, length_of_epochs(static_cast<double>(length.samples) /
                                                static_cast<double>(per_epoch)));
  }
  if (!in_samples && length.steps == 0) {
    if (auto refusal = one_bar(record)) {
      return *refusal;
    }
  }
  const auto rows = record::first_rank(record);
  if (length.steps > 0 && rows.empty() &&
      (record.epochs.empty() || record.work.empty() ||
       record.work.front().iterations_per_epoch == 0)) {
    return Refusal{"the length of the run is given in steps, but no step is recorded"};
  }
  auto series = series_of(record, length);
  const bool is_cut = lacks_first_epochs(record, series);
  if (const auto total_s = stated_total_s(record); total_s && record::epochs_of(record) > 0 &&
                                                   length.steps == 0 && !in_samples &&
                                                   (is_cut || series.step_s.empty())) {
    return forecast_of_total(record, *total_s, length.epochs);
  }
  if (is_cut && series.of_steps) {
    return Refusal{begins_late(record)};
  }
  if (is_cut) {
    series.epochs_before = 0;
    series.lacks_first = true;
  }
  auto answer = forecast(series);
  auto* found = std::get_if<Forecast>(&answer);
  if (found != nullptr && is_cut) {
    found->reasons.push_back(lacks_first_text(record.epochs.front().epoch));
  } else if (found != nullptr && series.epochs_before > 0 && begin_is_unknown(record)) {
    found->reasons.push_back(
        "the output does not show when epoch 1 began: its time is taken as the start of the run");
  }
  return answer;
}

std::optional<double> naive_total_s(const record::Record& record, double epochs) {
  if (record.epochs.empty() || record.epochs.front().epoch != 0) {
    return std::nullopt;
  }
  const auto& first = record.epochs.front();
  return first.start_s + epochs * (first.wall_s + first.evaluate_s + first.checkpoint_s);
}

}  // namespace epochcast::forecast
