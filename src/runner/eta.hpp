// When the program will be done: a forecast from the epochs so far, or from the steps of the first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/forecast/forecast.hpp"
#include "src/forecast/gaps.hpp"
#include "src/forecast/step.hpp"
#include "src/runner/recorder.hpp"

namespace epochcast::runner {

/// Keeps a bounded number of values, however long the run is.
class Eta {
 public:
  /// `epochs`: of the whole run, if a parameter of the record states it; 0: the program may.
  explicit Eta(std::int64_t epochs) : epochs_(epochs) {}

  /// Takes new rows, and forecasts again where that is due: it must not cost more than a thousandth
  /// of the time.
  void watch(const Progress& progress);

  /// Times on the clock of the record; std::nullopt: it is too early, or the program has not said
  /// how much there is to do.
  const std::optional<forecast::Forecast>& forecast() const { return forecast_; }
  std::int64_t epochs() const { return epochs_; }
  std::int64_t epochs_done() const { return done_; }

 private:
  void add(const progress::Rows& rows);
  forecast::Series series() const;

  std::int64_t epochs_;
  std::int64_t steps_per_epoch_ = 0;
  std::int64_t done_ = 0;   ///< Epochs, those of earlier attempts included.
  std::int64_t first_ = 0;  ///< The first recorded epoch.
  std::int64_t recorded_ = 0;
  double first_epoch_start_s_ = 0;
  forecast::Gaps gaps_;
  std::vector<forecast::Step> epoch_steps_;
  double first_step_start_s_ = 0;
  double first_step_at_ = 0;  ///< In epochs.
  std::vector<forecast::Step> steps_;
  bool is_new_ = false;
  double due_s_ = 0;
  std::optional<forecast::Forecast> forecast_;
};

}  // namespace epochcast::runner
