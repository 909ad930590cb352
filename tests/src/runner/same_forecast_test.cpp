// One run, and all who forecast it: predict, status, run, plan, epochcast-run and the trainer's own
// line give the same numbers from the same rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "jobs/campaign/remaining.hpp"
#include "jobs/ledger/pilot_forecast.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/runner/eta.hpp"
#include "src/training/loop/progress.hpp"
#include "tests/fakes.hpp"

namespace epochcast::runner {
namespace same_forecast {
namespace {

constexpr std::int64_t epochs = 8;
constexpr std::int64_t steps = 20;

/// Everybody who is told the rows of a simulated run one by one: 20 steps an epoch of about 2 s,
/// the first ones slow, an evaluation after each epoch.
class Everybody {
 public:
  Everybody() : line_(out_, train::ProgressStyle::lines, config_, clock_), eta_(record::Record{}) {
    record_.work.push_back({.samples_per_epoch = 8 * steps, .iterations_per_epoch = steps});
    record_.machines.emplace_back();
    record_.header.outcome = "running";
    record_.parameters.push_back({.name = "epochs", .value = fmt::format("{}", epochs)});
    rows_ = forecast::ObservedRun(record_.work.front());
    line_.training_begins(record_.work.front(), {}, rows_);
  }

  void step_ends(const record::Iteration& row) {
    clock_.time_s = row.start_s + row.step_s;
    record_.iterations.push_back(row);
    rows_.add(row);
    line_.step_ends(row, {});
    watch({.epochs = {}, .iterations = {row}});
  }

  void epoch_ends(const record::Epoch& row) {
    clock_.time_s = row.start_s + row.wall_s + row.evaluate_s;
    record_.epochs.push_back(row);
    out_.str("");
    rows_.add(row);
    line_.epoch_ends(row, {});
    watch({.epochs = {row}, .iterations = {}});
  }

  /// Of `predict`; nothing: refused.
  std::optional<forecast::Prediction> predicted() const {
    const auto answer = forecast::forecast_of(record_, forecast::length_of(record_));
    const auto* found = std::get_if<forecast::Forecast>(&answer);
    return found == nullptr ? std::nullopt : std::optional(found->total_s);
  }

  std::optional<forecast::Prediction> of_status() const {
    const auto found = forecast::forecast_of_running(forecast::observed(record_),
                                                     forecast::length_of_running(record_));
    return found ? std::optional(found->total_s) : std::nullopt;
  }

  std::optional<forecast::Prediction> of_runner() const {
    return eta_.forecast() ? std::optional(eta_.forecast()->total_s) : std::nullopt;
  }

  ledger::LedgerRow planned() const { return jobs::forecast_from_pilot(record_, epochs).row; }
  std::string line() const { return out_.str(); }
  double now_s() const { return clock_.time_s; }

 private:
  void watch(const progress::Rows& rows) {
    watched_s_ += 1e6;  // it forecasts again as often as it is allowed to
    eta_.watch({.now_s = watched_s_, .position = {.epochs = epochs, .steps = steps}, .rows = rows});
  }

  run::RunConfig config_{.epochs = epochs};
  FakeClock clock_;
  std::ostringstream out_;
  train::Progress line_;
  forecast::ObservedRun rows_;
  record::Record record_;
  Eta eta_;
  double watched_s_ = 0;
};

void expect_same(const std::optional<forecast::Prediction>& found,
                 const std::optional<forecast::Prediction>& wanted, const std::string& who) {
  ASSERT_EQ(found.has_value(), wanted.has_value()) << who;
  if (found) {  // to the digit, but for rounding: the runner counts epochs, the record samples
    EXPECT_DOUBLE_EQ(found->value, wanted->value) << who;
    for (const auto level :
         {&forecast::Prediction::interval_80, &forecast::Prediction::interval_95}) {
      EXPECT_NEAR(((*found).*level).low, ((*wanted).*level).low, 1e-9) << who;
      EXPECT_NEAR(((*found).*level).high, ((*wanted).*level).high, 1e-9) << who;
    }
  }
}

TEST(SameForecast, WhereverItIsAsked) {
  std::mt19937 random(4);
  std::normal_distribution<double> noise(1, 0.03);
  Everybody all;
  double now_s = 7;
  int answers = 0;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    const double start_s = now_s;
    for (std::int64_t step = 0; step < steps; ++step) {
      const double step_s = 2 * noise(random) * (epoch == 0 && step < 3 ? 4 : 1);
      all.step_ends(
          {.epoch = epoch, .index = step, .start_s = now_s, .step_s = step_s, .samples = 8});
      now_s += step_s;
      const auto wanted = all.predicted();
      expect_same(all.of_status(), wanted, fmt::format("status, epoch {} step {}", epoch, step));
      expect_same(all.of_runner(), wanted, fmt::format("runner, epoch {} step {}", epoch, step));
      answers += wanted ? 1 : 0;
    }
    const double wall_s = now_s - start_s + 0.1;
    const double evaluate_s = 3 * noise(random);
    all.epoch_ends({.epoch = epoch,
                    .start_s = start_s,
                    .wall_s = wall_s,
                    .evaluate_s = evaluate_s,
                    .samples = 8 * steps});
    now_s = start_s + wall_s + evaluate_s;
    const auto wanted = all.predicted();
    ASSERT_TRUE(wanted.has_value());
    expect_same(all.of_status(), wanted, "status");
    expect_same(all.of_runner(), wanted, "runner");
    EXPECT_EQ(all.planned().forecast_s, wanted->value);
    if (epoch + 1 < epochs) {
      const double left_s = std::round(wanted->value - all.now_s());
      EXPECT_THAT(all.line(), testing::HasSubstr(format_duration(left_s) + " left"));
    }
  }
  EXPECT_GT(answers, epochs * steps - 15);
}

/// A run of 50 epochs of 100 steps, with what makes its first steps or its first epoch slow.
struct SlowStart {
  int steps = 0;
  double factor = 1;
};

/// How the truth of 100 simulated runs lies to the upper end of the forecast from `seen` epochs.
struct Held {
  int inside = 0;
  std::vector<double> upper;
};

Held held(const SlowStart& slow, std::int64_t seen) {
  constexpr std::int64_t all = 50;
  constexpr std::int64_t in_epoch = 100;
  Held result;
  for (unsigned run = 0; run < 100; ++run) {
    std::mt19937 random(run);
    std::normal_distribution<double> normal;
    forecast::ObservedRun rows({.iterations_per_epoch = in_epoch});
    std::optional<forecast::Prediction> found;
    double now_s = 5;
    for (std::int64_t epoch = 0; epoch < all; ++epoch) {
      const double start_s = now_s;
      const double level = 0.5 * (1 + 0.01 * normal(random));
      for (std::int64_t step = 0; step < in_epoch; ++step) {
        const bool is_slow = epoch == 0 && step < slow.steps;
        const double step_s = level * (1 + 0.05 * normal(random)) * (is_slow ? slow.factor : 1);
        rows.add(
            record::Iteration{.epoch = epoch, .index = step, .start_s = now_s, .step_s = step_s});
        now_s += step_s;
      }
      rows.add(record::Epoch{.epoch = epoch, .start_s = start_s, .wall_s = now_s - start_s});
      if (epoch + 1 == seen) {
        found =
            std::get<forecast::Forecast>(forecast::forecast(rows.series({.epochs = all}))).total_s;
      }
      now_s += 2 * (1 + 0.02 * normal(random));
    }
    result.inside += found->interval_95.holds(now_s) ? 1 : 0;
    result.upper.push_back(found->interval_95.high / now_s);
  }
  return result;
}

TEST(SameForecast, ASlowStartThatStepsShowIsNoPartOfTheUpperEnd) {
  for (const auto& slow : {SlowStart{1, 4}, SlowStart{5, 4}, SlowStart{20, 1.5},
                           SlowStart{100, 1.2}, SlowStart{100, 1.5}}) {
    for (const std::int64_t seen : {1, 2, 5}) {
      auto [inside, upper] = held(slow, seen);
      std::ranges::sort(upper);
      EXPECT_GE(inside, 93) << slow.steps << " x " << slow.factor << ", K = " << seen;
      if (seen > 1) {
        EXPECT_LE(upper[50], 1.15) << slow.steps << " x " << slow.factor << ", K = " << seen;
      }
    }
  }
}

}  // namespace
}  // namespace same_forecast
}  // namespace epochcast::runner
