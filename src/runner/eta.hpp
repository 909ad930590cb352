// When the program will be done: a forecast from the epochs so far, or from their steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/forecast/run/left.hpp"
#include "src/runner/recorder.hpp"

namespace epochcast::runner {

/// Keeps a bounded number of values, however long the run is.
class Eta {
 public:
  /// `start`: the record as it begins; the program may state its epochs, and the steps of one,
  /// later.
  explicit Eta(const record::Record& start) : record_{.parameters = start.parameters} {}

  /// Takes new rows, and forecasts again where that is due: it must not cost more than a thousandth
  /// of the time.
  void watch(const Progress& progress);

  /// Times on the clock of the record; std::nullopt: it is too early, or the program has not said
  /// how much there is to do.
  const std::optional<forecast::Forecast>& forecast() const { return forecast_; }
  /// The same at `now_s`, later by as much as the program is late (forecast::overdue_s()).
  std::optional<forecast::Forecast> forecast_at(double now_s) const;
  std::int64_t epochs_done() const { return run_.epochs_done(); }
  /// Why the epoch, from 0, would not end before `usable_s` (forecast::why_not_begin); "" if it
  /// does, is none of the run's, or nothing is known.
  std::string why_not_begin(std::int64_t epoch, double usable_s, double now_s) const;
  /// "epoch 3 of 10"; "step 1200 of 5000" where the length is known in steps.
  std::string place() const;
  bool is_done() const;

 private:
  /// Of the rows, only the newest epoch: enough to tell the length.
  record::Record record_;
  forecast::RunLength length_;
  forecast::ObservedRun run_;
  bool is_new_ = false;
  double due_s_ = 0;
  std::optional<forecast::Forecast> forecast_;
};

}  // namespace epochcast::runner
