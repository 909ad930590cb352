// What is left of one and the same run, by all who tell it while it goes on: the trainer's own
// line, epochcast-run and `status`, beside what really is left.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

#include "jobs/campaign/remaining.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/left.hpp"
#include "src/runner/eta.hpp"
#include "src/training/loop/progress.hpp"
#include "tests/fakes.hpp"

namespace epochcast::runner {
namespace same_left {
namespace {

constexpr std::int64_t batch = 8;
constexpr double step_s = 20;

/// A run of which some is done, and how its record begins.
struct Case {
  const char* name;
  std::int64_t epochs = 10;
  std::int64_t steps = 20;    ///< Of an epoch.
  train::Position from = {};  ///< Where the attempt begins.
  train::Position until = {};
  std::int64_t ranks = 1;
  double kernels_s = 0;  ///< Spent once in its second epoch on choosing kernels.
  std::int64_t evaluate_every = 1;
  std::int64_t max_iterations = 0;
  std::string command = {};  ///< Empty: our trainer.
  std::string stated = {};   ///< A parameter that says evaluate_every.
};

std::ostream& operator<<(std::ostream& out, const Case& run) {
  return out << run.name;
}

class SameLeft : public testing::TestWithParam<Case> {
 protected:
  SameLeft() {
    clock_.time_s = 7;
    record_.header.created_at = "2026-11-30T00:00:00Z";
    record_.work.push_back(work_);
    record_.machines.resize(static_cast<std::size_t>(run_.ranks));
    state("epochs", fmt::format("{}", run_.epochs));
    state("max_iterations", fmt::format("{}", run_.max_iterations));
    state("command", run_.command);
    state(run_.stated, fmt::format("{}", run_.evaluate_every));
    line_.training_begins(work_, run_.from, rows_);
    eta_ = Eta(record_);
  }

  void state(const std::string& name, const std::string& value) {
    if (!name.empty() && !value.empty()) {
      record_.parameters.push_back({.name = name, .value = value});
    }
  }

  void watch(const progress::Rows& rows) {
    watched_s_ += 1e6;  // it forecasts again as often as it is allowed to
    eta_.watch({.now_s = watched_s_, .position = {.steps = run_.steps}, .rows = rows});
  }

  void spend(double seconds) { clock_.time_s += seconds; }

  void step(const train::Position& at) {
    const bool is_slow = at.epoch == run_.from.epoch && at.iteration < run_.from.iteration + 3;
    const record::Iteration row{.epoch = at.epoch,
                                .index = at.iteration,
                                .start_s = clock_.time_s,
                                .step_s = step_s * noise_(random_) * (is_slow ? 3 : 1),
                                .samples = batch};
    spend(row.step_s);
    record_.iterations.push_back(row);
    rows_.add(row);
    out_.str("");
    line_.step_ends(row, {});
    watch({.epochs = {}, .iterations = {row}});
  }

  void choose_kernels(std::int64_t epoch) {
    const record::Span span{"choose_kernels", epoch, clock_.time_s, run_.kernels_s};
    spend(span.duration_s);
    record_.spans.push_back(span);
    rows_.add(span);
    watch({.epochs = {}, .spans = {span}});
  }

  void end_epoch(record::Epoch row, std::int64_t steps) {
    row.wall_s =
        clock_.time_s - row.start_s - (row.epoch == run_.from.epoch + 1 ? run_.kernels_s : 0);
    row.evaluate_s = (row.epoch + 1) % run_.evaluate_every == 0 ? evaluate_s() : 0;
    row.samples = batch * steps * run_.ranks;
    spend(row.evaluate_s);
    record_.epochs.push_back(row);
    rows_.add(row);
    line_.epoch_ends(row, {});
    watch({.epochs = {row}, .iterations = {}});
  }

  double evaluate_s() { return 1.5 * step_s * noise_(random_); }

  void play() {
    auto at = run_.from;
    for (; at.epoch <= run_.until.epoch; at = {at.epoch + 1, 0}) {
      record::Epoch row{.epoch = at.epoch, .start_s = clock_.time_s};
      const auto first = at.iteration;
      const auto end = at.epoch < run_.until.epoch ? run_.steps : run_.until.iteration;
      for (; at.iteration < end; ++at.iteration) {
        if (run_.kernels_s > 0 && at.epoch == run_.from.epoch + 1 && at.iteration == 0) {
          choose_kernels(at.epoch);
        }
        step(at);
      }
      if (end == run_.steps) {
        end_epoch(row, run_.steps - first);
      }
    }
  }

  /// Without noise.
  double truth_s() const {
    const auto all = run_.max_iterations > 0 ? run_.max_iterations : run_.epochs * run_.steps;
    const auto done = run_.until.epoch * run_.steps + run_.until.iteration;
    const auto evaluations =
        run_.epochs / run_.evaluate_every - run_.until.epoch / run_.evaluate_every;
    const auto of_all = (all + run_.steps - 1) / run_.steps;  // evaluates at its end, too
    return step_s * (static_cast<double>(all - done) +
                     1.5 * static_cast<double>(evaluations - (run_.epochs - of_all)));
  }

  const Case run_ = GetParam();
  const record::Work work_{.samples_per_epoch = batch * run_.steps * run_.ranks,
                           .iterations_per_epoch = run_.steps};
  const run::RunConfig config_{.epochs = run_.epochs, .max_iterations = run_.max_iterations};
  FakeClock clock_;
  std::ostringstream out_;
  train::Progress line_{out_, train::ProgressStyle::bar, config_, clock_};
  forecast::ObservedRun rows_{work_, static_cast<std::size_t>(run_.ranks)};
  record::Record record_;
  Eta eta_{record::Record{}};
  double watched_s_ = 0;
  std::mt19937 random_{4};
  std::normal_distribution<double> noise_{1, 0.02};
};

TEST_P(SameLeft, WhoeverTellsIt) {
  play();
  const double now_s = clock_.time_s;
  const auto answer = forecast::left_s(rows_, forecast::length_of_running(record_), now_s);
  ASSERT_TRUE(answer.has_value());
  const auto& left = *answer;
  EXPECT_NEAR(left.value, truth_s(), 0.06 * truth_s());
  EXPECT_TRUE(left.interval_95.holds(truth_s()))
      << left.interval_95.low << " to " << left.interval_95.high << ", truth " << truth_s();

  if (run_.from.iteration == 0) {  // a program's output does not show that its epoch is a part
    ASSERT_TRUE(eta_.forecast_at(now_s).has_value());
    const auto total_s = eta_.forecast_at(now_s)->total_s;
    EXPECT_NEAR(total_s.value - now_s, left.value, 1e-6);
    EXPECT_NEAR(total_s.interval_95.low - now_s, left.interval_95.low, 1e-6);
    EXPECT_NEAR(total_s.interval_95.high - now_s, left.interval_95.high, 1e-6);
  }

  const auto whole_s = std::llround(now_s);  // as the stamps of a record are
  record_.header.finished_at =
      fmt::format("2026-11-30T{:02}:{:02}:{:02}Z", whole_s / 3600, whole_s / 60 % 60, whole_s % 60);
  const auto status = jobs::progress_from(record_);
  ASSERT_TRUE(status.left_s.has_value());
  EXPECT_NEAR(*status.left_s, left.value, 0.6);
  EXPECT_NEAR(*status.left_low_s, left.interval_95.low, 0.6);
  EXPECT_NEAR(*status.left_high_s, left.interval_95.high, 0.6);

  if (run_.command.empty()) {
    const auto text = [](double s) { return format_duration(std::round(s)); };
    const auto& [low_s, high_s] = left.interval_80;
    EXPECT_THAT(out_.str(),
                testing::HasSubstr(high_s > 2 * low_s
                                       ? fmt::format("; {} to {} left", text(low_s), text(high_s))
                                       : fmt::format("; {} left", text(left.value))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfARun, SameLeft,
    testing::Values(
        Case{.name = "after four epochs", .until = {4, 6}},
        Case{.name = "within the first epoch", .steps = 200, .until = {0, 150}},
        Case{.name = "within the first epoch, on four ranks",
             .steps = 200,
             .until = {0, 150},
             .ranks = 4},
        Case{.name = "after epochs, on three ranks", .until = {5, 2}, .ranks = 3},
        Case{.name = "a program that goes on from its own checkpoint",
             .epochs = 30,
             .from = {12, 0},
             .until = {15, 4},
             .command = "python train.py"},
        Case{.name = "the same, before an epoch has ended",
             .epochs = 14,
             .steps = 200,
             .from = {12, 0},
             .until = {12, 150},
             .command = "python train.py"},
        Case{.name = "a training that goes on within an epoch", .from = {3, 14}, .until = {5, 6}},
        Case{.name = "ended by max_iterations", .until = {4, 6}, .max_iterations = 150},
        Case{.name = "which chose kernels", .until = {3, 6}, .kernels_s = 300},
        Case{.name = "evaluations that are stated",
             .epochs = 12,
             .until = {5, 6},
             .evaluate_every = 3,
             .command = "python train.py",
             .stated = "eval_every"}));

}  // namespace
}  // namespace same_left
}  // namespace epochcast::runner
