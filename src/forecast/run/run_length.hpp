// The length of a run, in epochs, steps or samples: many programs know only the number of their
// steps, and many logs only that of their samples or tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/forecast/run/forecast.hpp"
#include "src/record/record.hpp"

namespace epochcast::forecast {

struct RunLength {
  std::int64_t epochs = 0;  ///< 0: not known.
  double unfinished = 0;    ///< The part of the last of them that the run does not do.
  /// Of rank 0, all epochs together; stronger than the epochs. 0: not known.
  std::int64_t steps = 0;
  /// Or tokens, as the record counts them; stronger than both. 0: not known.
  std::int64_t samples = 0;
  /// What is stated of evaluations and checkpoints, in samples if those are the length, else in
  /// steps or epochs.
  std::vector<Schedule> schedules = {};
  /// The run stops when it reaches a target: within the last of the epochs.
  bool stops_at_target = false;

  bool is_known() const { return epochs > 0 || steps > 0 || samples > 0; }
  double epochs_done() const { return static_cast<double>(epochs) - unfinished; }
};

/// 4.02 epochs: a run that stops at a target ends within its fifth. `epochs` is above 0.
RunLength length_of_epochs(double epochs);

/// The parameters "epochs" and "steps" of the record.
RunLength length_of(const record::Record& record);

/// A length in epochs that ends after `most_steps`, where that is sooner. 0: no such end; the same
/// where the steps of an epoch are not known.
RunLength within_steps(RunLength length, std::int64_t most_steps, std::int64_t steps_per_epoch);

/// The length of a run that goes on: that of its parameters, up to the `max_iterations` of our
/// trainer, with the schedules that they state.
RunLength length_of_running(const record::Record& record);

/// "10 epochs", "4.02 epochs", "5000 steps", "100000 samples".
std::string to_text(const RunLength& length);

/// Steps in epochs of `steps_per_epoch`, above 0: the number of epochs, the last of which may be
/// unfinished.
struct EpochsOfSteps {
  std::int64_t epochs = 0;
  double unfinished = 0;  ///< Part of the last epoch.
};
EpochsOfSteps epochs_of_steps(std::int64_t steps, std::int64_t steps_per_epoch);

/// Why no epochs can be forecast: the run is complete, showed none, and its steps are those of its
/// only bar, which may be an epoch or all of them. std::nullopt: they can, as far as this goes.
std::optional<Refusal> one_bar(const record::Record& record);

/// What the parameters of a record of a program of others state of evaluations and checkpoints
/// (run::stated_names), in the unit of the length. Without what comes within an epoch, where the
/// length is in epochs: it is a part of their time.
std::vector<Schedule> stated_schedules(const record::Record& record, const RunLength& length);

/// The length with the schedules that the record states. A run that counts its steps and has no
/// epochs is one epoch for its reader: its length is then in steps, as its schedules are.
RunLength with_stated_schedules(const record::Record& record, const RunLength& length);

/// Whether a run that has ended stopped within the last of its epochs (three or more): that one was
/// shorter than every other, by more than machines differ, and the two before it were alike. Its
/// time says nothing about a whole epoch.
bool ends_within_last(const std::vector<double>& epoch_s);

}  // namespace epochcast::forecast
