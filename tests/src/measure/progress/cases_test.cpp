// Small logs after those of strangers (../shared/cases, which is no part of the repository): each
// gives its right value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/measure/progress/recognizer/whole_log.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::progress {
namespace {

struct Case {
  const char* name;
  std::vector<double> walls;          ///< To a second; 0: its begin is not in the log.
  std::vector<double> evaluations{};  ///< Empty: none is shown.
  std::vector<std::int64_t> steps{};  ///< Of the epochs; empty: not tested.
  std::vector<std::pair<const char*, double>> metrics{};  ///< The last of each name.
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"bars_before_training", {90, 90, 90}, {}, {60, 60, 60}, {{"loss", 0.6}}},
      {"bars_of_two_ranks", {20}, {}, {4}},
      {"best_at_epoch", {40, 40, 40, 40}, {10, 10, 10, 0}},
      {"every_tenth_epoch", std::vector<double>(31, 6)},
      {"first_batch_is_the_epochs_metric", {40, 60, 60}, {}, {4, 4, 4}, {{"D loss", 0.6}}},
      {"folds", {60, 60, 60, 60}},
      {"global_iter_from_one", {180, 180, 180}, {}, {300, 300, 300}},
      {"global_step_counts_on", {40, 40, 40}, {}, {20, 20, 20}},
      {"hint_takes_wall_time", {588, 561, 600}, {}, {2700, 2700, 2700}},
      {"hours", {5400, 5040, 5040}},
      {"inf_and_none", {60, 60, 60}, {}, {}, {{"val_loss", 1.8}, {"train_loss", 3}}},
      {"keras_bar_no_stamps", {30, 25, 25}, {}, {250, 250, 250}},
      {"keras_no_validation", {30, 25, 25}, {}, {250, 250, 250}},
      {"keras_per_sample", {22, 20, 20}, {}, {}, {{"loss", 0.61}, {"val_loss", 0.66}}},
      {"lightning_bar_no_stamps", {40, 36, 36}},
      {"metric_named_as_a_column", {60, 60, 60}, {}, {}, {{"loss", 0.7}, {"best", 0.55}}},
      {"minutes_and_seconds", {228, 221, 224, 222}},
      {"minutes_word", {390, 384, 384, 384}},
      {"mllog_several_evaluations", {400}, {16}},
      {"nan_eats_next_name", {60, 60, 60}, {}, {}, {{"acc", 0.1}, {"loss", 0.5}}},
      {"resumed_log_pause", {60, 60, 60, 60, 60, 60}},
      {"saved_words_become_metrics", {60, 61, 61}, {}, {}, {{"loss", 0.7}}},
      {"stale_stamps", {10, 30, 50, 70}},
      {"stamp_after_level", {0, 60, 60, 60}},
      {"stamp_brackets_touch", {0, 60, 60, 60}},
      {"stamp_month_first", {0, 60, 60, 60}},
      {"stamp_then_colon", {0, 60, 60, 60}},
      {"steps_with_stamps", {60, 60, 60, 60}, {}, {200, 200, 200, 200}},
      {"words_become_metrics", {60, 60, 60}, {}, {}, {{"train_loss", 0.7}}}};
  return all;
}

class Cases : public testing::TestWithParam<Case> {};

TEST_P(Cases, GiveTheirRightValues) {
  const auto& expected = GetParam();
  const auto path = std::string("../cases/") + expected.name + ".log";
  EPOCHCAST_NEEDS_SHARED_DATA(path);
  const auto rows = read_whole_log(bytes_of(shared_data(path))).rows;  // as `import log` does
  std::vector<double> walls, evaluations;
  std::vector<std::int64_t> steps;
  for (const auto& epoch : rows.epochs) {
    walls.push_back(std::round(epoch.wall_s));
    evaluations.push_back(std::round(epoch.evaluate_s));
    steps.push_back(epoch.iterations);
  }
  std::map<std::string, double> last;
  for (const auto& metric : rows.metrics) {
    last[metric.name.str()] = metric.value;
  }
  EXPECT_EQ(walls, expected.walls);
  EXPECT_EQ(evaluations, expected.evaluations.empty() ? std::vector<double>(walls.size(), 0)
                                                      : expected.evaluations);
  if (!expected.steps.empty()) {
    EXPECT_EQ(steps, expected.steps);
  }
  for (const auto& [name, value] : expected.metrics) {
    EXPECT_EQ(last[name], value) << name;
  }
  EXPECT_TRUE(expected.metrics.empty() || last.size() == expected.metrics.size());
}

INSTANTIATE_TEST_SUITE_P(OfStrangers, Cases, testing::ValuesIn(cases()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace epochcast::progress
