#include "src/forecast/run/run_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "src/base/core/text.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"
#include "src/record/stated.hpp"

namespace epochcast::forecast {

namespace {

/// Whether the record says that the run stops when it reaches a target. Of MLPerf's benchmarks,
/// those of single-shot detection evaluate beside the epochs and stop within one.
bool stops_at_target(const record::Record& record) {
  const auto benchmark = record::parameter(record, "benchmark");
  return parse_double(record::parameter(record, "target_accuracy")).value_or(0) > 0 ||
         benchmark == "ssd" || benchmark == "retinanet";
}

}  // namespace

RunLength length_of(const record::Record& record) {
  return {.epochs = record::epochs_of(record),
          .steps = record::total_steps_of(record),
          .stops_at_target = stops_at_target(record)};
}

RunLength within_steps(RunLength length, std::int64_t most_steps, std::int64_t steps_per_epoch) {
  if (most_steps > 0 && most_steps < length.epochs * steps_per_epoch) {
    const auto done = epochs_of_steps(most_steps, steps_per_epoch);
    length.epochs = done.epochs;
    length.unfinished = done.unfinished;
  }
  return length;
}

RunLength length_of_running(const record::Record& record) {
  const auto most = record::is_of_our_trainer(record)
                        ? parse_integer(record::parameter(record, "max_iterations")).value_or(0)
                        : 0;
  const auto in_epoch = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  return with_stated_schedules(record, within_steps(length_of(record), most, in_epoch));
}

RunLength length_of_epochs(double epochs) {
  const double all = std::ceil(epochs);
  return {.epochs = static_cast<std::int64_t>(all), .unfinished = all - epochs};
}

std::string to_text(const RunLength& length) {
  if (length.samples > 0) {
    return counted(static_cast<std::size_t>(length.samples), "sample");
  }
  if (length.steps == 0 && length.unfinished > 0) {
    return fmt::format("{:g} epochs", length.epochs_done());
  }
  return length.steps > 0 ? counted(static_cast<std::size_t>(length.steps), "step")
                          : counted(static_cast<std::size_t>(length.epochs), "epoch");
}

EpochsOfSteps epochs_of_steps(std::int64_t steps, std::int64_t steps_per_epoch) {
  const auto epochs = (steps + steps_per_epoch - 1) / steps_per_epoch;
  return {.epochs = epochs,
          .unfinished = static_cast<double>(epochs * steps_per_epoch - steps) /
                        static_cast<double>(steps_per_epoch)};
}

std::optional<Refusal> one_bar(const record::Record& record) {
  const auto rows = record::first_rank(record);
  const auto steps = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  const bool is_one = record::outcome_of(record.header) == run::Outcome::complete &&
                      record::epochs_of(record) != 1 && record.epochs.empty() && !rows.empty() &&
                      rows.back()->epoch == 0 && steps > 0 && rows.back()->index + 1 >= steps;
  if (!is_one) {
    return std::nullopt;
  }
  return Refusal{fmt::format(
      "the run showed no epoch and ended with its only bar, of {}: this may be an epoch or all of "
      "them; state the length in steps (--steps N; in an experiment 'steps: N')",
      counted(static_cast<std::size_t>(steps), "step"))};
}

/// The work of one of what a number counts, in the unit of the length; nothing: not known.
std::optional<double> work_of(run::StatedUnit unit, const record::Record& record,
                              const RunLength& length) {
  using enum run::StatedUnit;
  const auto number = [&](const char* name) {
    return parse_double(record::parameter(record, name)).value_or(0);
  };
  const auto work = record.work.empty() ? record::Work{} : record.work.front();
  const auto block_unit = record::parameter(record, "block_work");
  const double batch = block_unit == "steps" ? 1 : number("batch");
  const double of_sample = block_unit == "tokens" ? number("sequence_length") : 1;
  const auto epoch_samples = static_cast<double>(work.samples_per_epoch);
  const auto epoch_steps = work.iterations_per_epoch > 0
                               ? static_cast<double>(work.iterations_per_epoch)
                               : epoch_samples / batch;
  // of a sample, a step and an epoch
  const auto [sample, step, epoch] =
      length.samples > 0 ? std::array{of_sample, of_sample * batch, of_sample * epoch_samples}
      : length.steps > 0 ? std::array{1 / batch, 1.0, epoch_steps}
                         : std::array{1 / epoch_samples, 1 / epoch_steps, 1.0};
  const double found = unit == plain ? 1 : unit == samples ? sample : unit == steps ? step : epoch;
  return found > 0 && std::isfinite(found) ? std::optional(found) : std::nullopt;
}

/// The work that a stated number means; nothing: not known.
std::optional<double> stated_work(const record::Record& record, const RunLength& length,
                                  run::Stated what) {
  using enum run::StatedUnit;
  const auto number = record::stated(record, what);
  if (!number) {
    return std::nullopt;
  }
  auto [value, unit] = *number;
  if (unit == steps && value < 1) {
    const double whole = length.samples > 0 ? static_cast<double>(length.samples)
                         : length.steps > 0 ? static_cast<double>(length.steps)
                                            : length.epochs_done();
    return value * whole;
  }
  unit = unit == steps_or_part_of_epoch && value > 1 ? steps : unit;
  const auto each = work_of(unit, record, length);
  const double count = unit == times_an_epoch  ? 1 / value
                       : unit == epochs_from_0 ? value + 1
                                               : value;
  return each ? std::optional(count * *each) : std::nullopt;
}

std::vector<Schedule> stated_schedules(const record::Record& record, const RunLength& length) {
  if (record::is_of_our_trainer(record)) {
    return {};
  }
  std::vector<Schedule> schedules;
  if (const auto every = stated_work(record, length, run::Stated::eval_every)) {
    const auto from = stated_work(record, length, run::Stated::eval_from);
    schedules.push_back({.first = from.value_or(*every), .every = *every});
  }
  if (const auto every = stated_work(record, length, run::Stated::checkpoint_every)) {
    schedules.push_back({.first = *every, .every = *every, .unseen = unseen_checkpoint});
  }
  if (length.samples == 0 && length.steps == 0) {
    std::erase_if(schedules, [](const Schedule& one) { return one.every <= 1 && one.first <= 1; });
  }
  return schedules;
}

RunLength with_stated_schedules(const record::Record& record, const RunLength& length) {
  auto whole = length;
  if (length.epochs == 1 && length.steps == 0 && record.epochs.empty() && !record.work.empty()) {
    whole.steps = record.work.front().iterations_per_epoch;
  }
  whole.schedules = stated_schedules(record, whole);
  return whole.schedules.empty() ? length : whole;
}

bool ends_within_last(const std::vector<double>& epoch_s) {
  constexpr std::size_t fewest = 3;
  if (epoch_s.size() < fewest) {
    return false;
  }
  const auto last = epoch_s.end() - 1;
  const auto [shorter, longer] = std::minmax(*(last - 1), *(last - 2));
  return longer <= (1 + machine_tolerance) * shorter &&
         (1 + machine_tolerance) * *last < *std::min_element(epoch_s.begin(), last);
}

}  // namespace epochcast::forecast
