#include "src/forecast/run/series_from_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/gaps.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/record/queries.hpp"

namespace epochcast::forecast {

std::int64_t steps_of_row(const record::Iteration& row, const record::Iteration& before) {
  const auto since = row.epoch == before.epoch ? row.index - before.index : row.index + 1;
  return std::max<std::int64_t>(1, since);
}

std::int64_t steps_of_first_row(const record::Iteration& first, std::int64_t of_second) {
  return std::clamp<std::int64_t>(first.index + 1, 1, of_second);
}

std::vector<std::int64_t> steps_of_rows(const Iterations& iterations) {
  std::vector<std::int64_t> steps(iterations.size(), 1);
  for (std::size_t i = 1; i < iterations.size(); ++i) {
    steps[i] = steps_of_row(*iterations[i], *iterations[i - 1]);
  }
  if (steps.size() > 1) {
    steps[0] = steps_of_first_row(*iterations[0], steps[1]);
  }
  return steps;
}

bool has_blocks(const record::Record& record) {
  return std::ranges::any_of(record.parameters,
                             [](const auto& row) { return row.name.view() == "block_work"; });
}

namespace {

record::Work recorded_work(const record::Record& record) {
  return record.work.empty() ? record::Work{} : record.work.front();
}

/// The samples of rank 0 in an epoch.
double samples_per_epoch(const record::Record& record) {
  const auto ranks = std::max<std::size_t>(1, record.machines.size());
  return static_cast<double>(recorded_work(record).samples_per_epoch) / static_cast<double>(ranks);
}

/// Sets the samples as work if they are known for every row and for the epoch.
template <class Row>
void take_samples(const std::vector<const Row*>& rows, double per_epoch, RunSeries& series) {
  const bool known = per_epoch > 0 && std::all_of(rows.begin(), rows.end(),
                                                  [](const Row* row) { return row->samples > 0; });
  if (known) {
    series.work_per_epoch = per_epoch;
    for (const auto* row : rows) {
      series.step_work.push_back(static_cast<double>(row->samples));
    }
  }
}

/// The time after an epoch, measured in a run that ended within its first epoch: a pilot still does
/// everything that follows an epoch. Evaluations within the epoch, and those that steps followed,
/// are scaled up, since they recur in the remaining steps of the epoch.
double behind_cut_epoch_s(const record::Record& record) {
  double after_epochs_s = 0;
  double within_s = 0;
  const auto iterations = record::first_rank(record);
  const double last_step_s = iterations.empty() ? 0 : iterations.back()->start_s;
  for (const auto& span : record.spans) {
    const auto name = span.name.view();
    const bool follows = name == "evaluate" || name == "sample" || name == "checkpoint";
    const bool recurs = name == "evaluate_within" || (follows && span.start_s < last_step_s);
    within_s += recurs ? span.duration_s : 0;
    after_epochs_s += follows && !recurs ? span.duration_s : 0;
  }
  const auto rows = steps_of_rows(iterations);
  const auto steps = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
  const auto in_epoch = recorded_work(record).iterations_per_epoch;
  const double part =
      steps > 0 && in_epoch > 0 ? static_cast<double>(steps) / static_cast<double>(in_epoch) : 1;
  return after_epochs_s + within_s / std::min(part, 1.0);
}

bool is_every_step(const std::vector<std::int64_t>& steps) {
  return std::ranges::all_of(steps, [](auto count) { return count == 1; });
}

/// The time of an epoch's steps; those that no row stands for count as long as the others.
struct StepsOfEpoch {
  double time_s = 0;
  std::int64_t count = 0;

  double all_s(std::int64_t per_epoch) const {
    return count < per_epoch ? time_s * static_cast<double>(per_epoch) / static_cast<double>(count)
                             : time_s;
  }
};

/// Until when no epoch followed the last one, as far as the record shows: until a step of the next
/// one, or until the end of a log. 0: nothing is known.
double seen_without_next_s(const record::Record& record, const Iterations& iterations) {
  const auto& last = record.epochs.back();
  for (const auto* iteration : iterations) {
    if (iteration->epoch > last.epoch) {
      const auto before = static_cast<double>(iteration->index);  // a row may stand for many steps
      return iteration->start_s - before * (iteration->wait_s + iteration->step_s);
    }
  }
  double until_s = 0;
  for (const auto& span : record.spans) {
    if (span.name.view() == after_last_span) {
      until_s = span.start_s + span.duration_s;
    }
  }
  return until_s;
}

/// The times after epochs, with the part of each epoch that is in none of `iterations`.
std::vector<double> gaps_of(const record::Record& record, const Iterations& iterations) {
  if (record.epochs.empty()) {
    return {behind_cut_epoch_s(record)};
  }
  const auto steps = steps_of_rows(iterations);
  const auto per_epoch = is_every_step(steps) ? 0 : recorded_work(record).iterations_per_epoch;
  std::map<std::int64_t, StepsOfEpoch> in_epoch;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    auto& epoch = in_epoch[iterations[i]->epoch];
    epoch.time_s += static_cast<double>(steps[i]) * (iterations[i]->wait_s + iterations[i]->step_s);
    epoch.count += steps[i];
  }
  const auto choices_s = kernel_choices_s(record);
  Gaps gaps;
  for (const auto& epoch : record.epochs) {
    const auto found = in_epoch.find(epoch.epoch);
    const double rest_s =
        found == in_epoch.end() ? 0 : epoch.wall_s - found->second.all_s(per_epoch);
    const auto choice = choices_s.find(epoch.epoch);
    gaps.add(epoch, std::max(0.0, rest_s), choice == choices_s.end() ? 0 : choice->second);
  }
  gaps.seen_until(seen_without_next_s(record, iterations));
  return gaps.seconds();
}

/// Sets what comes after epochs.
void take_gaps(const record::Record& record, const Iterations& iterations, RunSeries& series) {
  series.gaps_s = gaps_of(record, iterations);
  series.after_epoch_s = mean(series.gaps_s).value_or(0);
}

/// Rows that stand for several steps each: a step of the series is a row, and its work their
/// number.
RunSeries of_printed_steps(const record::Record& record, const Iterations& iterations,
                           const std::vector<std::int64_t>& steps) {
  const auto per_epoch = static_cast<double>(recorded_work(record).iterations_per_epoch);
  const auto& first = *iterations.front();
  const auto covered = static_cast<double>(steps.front());
  RunSeries series{
      .before_s = std::max(0.0, first.start_s - (covered - 1) * (first.wait_s + first.step_s)),
      .work_per_epoch = per_epoch,
      .epochs_before = static_cast<double>(first.epoch)};
  take_gaps(record, iterations, series);
  double all = 0;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const auto count = static_cast<double>(steps[i]);
    series.step_s.push_back(count * (iterations[i]->wait_s + iterations[i]->step_s));
    series.step_work.push_back(count);
    all += count;
  }
  if (per_epoch > 0) {
    series.epochs_before += (static_cast<double>(first.index) + 1 - covered) / per_epoch;
    const double rows = per_epoch * static_cast<double>(iterations.size()) / all;
    series.steps_per_epoch = std::max<std::int64_t>(1, std::llround(rows));
  }
  return series;
}

RunSeries of_iterations(const record::Record& record, const Iterations& iterations) {
  if (const auto steps = steps_of_rows(iterations); !is_every_step(steps)) {
    return of_printed_steps(record, iterations, steps);
  }
  const auto per_epoch = recorded_work(record).iterations_per_epoch;
  const auto& first = *iterations.front();
  RunSeries series{.before_s = first.start_s,
                   .steps_per_epoch = per_epoch,
                   .epochs_before = static_cast<double>(first.epoch)};
  take_gaps(record, iterations, series);
  if (per_epoch > 0) {
    series.epochs_before += static_cast<double>(first.index) / static_cast<double>(per_epoch);
  }
  for (const auto* iteration : iterations) {
    series.step_s.push_back(iteration->wait_s + iteration->step_s);
  }
  take_samples(iterations, samples_per_epoch(record), series);
  return series;
}

RunSeries of_epochs(const record::Record& record) {
  RunSeries series{.steps_per_epoch = 1};
  take_gaps(record, {}, series);
  std::vector<const record::Epoch*> rows;
  for (const auto& epoch : record.epochs) {
    rows.push_back(&epoch);
    series.step_s.push_back(epoch.wall_s);
  }
  if (!rows.empty()) {
    series.before_s = rows.front()->start_s;
    series.epochs_before = static_cast<double>(rows.front()->epoch);
  }
  take_samples(rows, static_cast<double>(recorded_work(record).samples_per_epoch), series);
  return series;
}

/// Whether the run did epochs whose times the record lacks: it did not resume an earlier attempt,
/// and the time before its first step is shorter than `series.epochs_before` epochs at the shortest
/// step time.
bool lacks_first_epochs(const record::Record& record, const RunSeries& series) {
  if (!(series.epochs_before > 0) || !record.header.resumed_from.view().empty()) {
    return false;
  }
  const double quickest_s = std::ranges::min(series.step_s);
  const auto per_epoch = static_cast<double>(series.steps_per_epoch);
  return series.before_s < series.epochs_before * per_epoch * quickest_s;
}

std::optional<double> printed_total_s(const record::Record& record) {
  for (const auto& span : record.spans) {
    if (span.name.view() == total_span && record::epochs_of(record) > 0) {
      return span.duration_s;
    }
  }
  return std::nullopt;
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

std::string begins_late(const record::Record& record) {
  const auto iterations = record::first_rank(record);
  const auto epoch = iterations.empty() ? record.epochs.front().epoch : iterations.front()->epoch;
  return fmt::format("the record begins within epoch {}: how long those before took is not known",
                     epoch + 1);
}

}  // namespace

RunSeries series_of(const record::Record& record, std::int64_t epochs, double unfinished) {
  const auto iterations = record::first_rank(record);
  const bool use_epochs =
      iterations.empty() ||
      (!record.epochs.empty() && (iterations.size() < fewest_iterations || has_blocks(record)));
  auto series = use_epochs ? of_epochs(record) : of_iterations(record, iterations);
  series.epochs = epochs;
  series.unfinished = unfinished;
  return series;
}

std::variant<Forecast, Refusal> forecast_of(const record::Record& record, std::int64_t epochs,
                                            double unfinished, std::vector<Schedule> schedules) {
  auto series = series_of(record, epochs, unfinished);
  series.schedules = std::move(schedules);
  // In MLPerf v4.0 an evaluation after epochs takes 0.015 (resnet) and 0.06 (ssd) of one in the
  // middle, in v5.0 0.10 (retinanet).
  for (auto& schedule : series.schedules) {
    schedule.unseen = std::min(schedule.unseen, unseen_gap / schedule.every);
  }
  const bool is_cut = lacks_first_epochs(record, series);
  if (const auto total_s = printed_total_s(record); total_s && (is_cut || series.step_s.empty())) {
    return forecast_of_total(record, *total_s, epochs);
  }
  if (is_cut) {
    return Refusal{begins_late(record)};
  }
  auto answer = forecast(series);
  if (auto* found = std::get_if<Forecast>(&answer);
      found != nullptr && record.epochs.empty() && behind_cut_epoch_s(record) == 0) {
    found->reasons.push_back(
        "no epoch has ended yet: the forecast lacks evaluation and checkpoints");
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
