#include <gmock/gmock.h>

#include <cmath>

#include "src/forecast/run/series_from_record.hpp"
#include "src/record/queries.hpp"

namespace epochcast::forecast {
namespace {

/// `rows` rows that a program prints, one every `every` steps of 0.5 s, after 4 s.
record::Record printed(std::int64_t rows, std::int64_t every) {
  record::Record record;
  for (std::int64_t row = 1; row <= rows; ++row) {
    const auto last = every * row - 1;
    record.iterations.push_back(
        {.index = last, .start_s = 4 + 0.5 * static_cast<double>(last), .step_s = 0.5});
    record.iterations.push_back({.rank = 1, .index = last, .step_s = 99});
  }
  return record;
}

double total_s(const record::Record& record, const RunLength& length) {
  return std::get<Forecast>(forecast_of(record, length)).total_s.value;
}

TEST(RunLength, IsWhatTheParametersSay) {
  record::Record record;
  EXPECT_FALSE(length_of(record).is_known());
  record.parameters.push_back({.name = "steps", .value = "5000"});
  EXPECT_EQ(to_text(length_of(record)), "5000 steps");
  record.parameters.front().value = "-3";
  EXPECT_FALSE(length_of(record).is_known());
  record.parameters.push_back({.name = "epochs", .value = "1"});
  EXPECT_EQ(to_text(length_of(record)), "1 epoch");
}

TEST(RunLength, OfSamplesIsOfEpochsWhereTheRecordHasSteps) {
  record::Record record;
  record.work.push_back({.samples_per_epoch = 100, .iterations_per_epoch = 20});
  for (std::int64_t step = 0; step < 30; ++step) {
    record.iterations.push_back({.epoch = step / 20,
                                 .index = step % 20,
                                 .start_s = 0.5 * static_cast<double>(step),
                                 .step_s = 0.5,
                                 .samples = 5});
  }
  EXPECT_NEAR(total_s(record, {.samples = 250}), 25, 1e-9);
  record.work.clear();
  EXPECT_THAT(std::get<Refusal>(forecast_of(record, {.samples = 250})).reason,
              testing::HasSubstr("does not count"));
}

TEST(RunLength, OfBlocksTakesTheScheduleThatTheRecordStates) {
  record::Record record;
  record.header.source = "imported:mllog";
  for (std::int64_t block = 0; block < 3; ++block) {
    record.epochs.push_back(
        {.epoch = block, .start_s = 10 * static_cast<double>(block), .wall_s = 10, .samples = 100});
  }
  EXPECT_NEAR(total_s(record, {.samples = 1000}), 100, 1e-6);
  record.parameters.push_back({.name = "eval_every", .value = "200"});
  record.parameters.push_back({.name = "eval_from", .value = "600"});
  // After 600, 800 and 1000 samples, 0.2 of the 20 s between two.
  EXPECT_NEAR(total_s(record, {.samples = 1000}), 100 + 3 * 4, 1e-6);
  EXPECT_NEAR(total_s(record, {.samples = 1000, .schedules = {{.first = 500, .every = 500}}}),
              100 + 2 * 10, 1e-6);
}

TEST(RunLength, StepsHaveTheEvaluationsThatAreStated) {
  auto record = printed(20, 1);
  for (auto& row : record.iterations) {
    row.start_s += row.index >= 10 ? 6 : 0;
  }
  const RunLength length{.steps = 100, .schedules = {{.first = 10, .every = 10}}};
  EXPECT_NEAR(total_s(record, length), 4 + 50 + 6 + 9 * 6, 0.5);
}

struct StatedCase {
  std::vector<std::pair<std::string, std::string>> parameters;
  RunLength length;
  std::vector<Schedule> schedules;
};

TEST(RunLength, SchedulesAreReadUnderTheNamesOfFrameworksInTheirUnits) {
  const RunLength steps{.steps = 1000}, epochs{.epochs = 100}, samples{.samples = 16'800};
  const auto saved = [](double every) {
    return Schedule{.first = every, .every = every, .unseen = unseen_checkpoint};
  };
  const std::vector<StatedCase> cases{
      {{{"eval_interval", "250"}, {"save_interval", "500"}}, steps, {{250, 250}, saved(500)}},
      {{{"logging_steps", "5"}}, steps, {}},
      {{{"eval_steps", "50"}, {"eval_strategy", "IntervalStrategy.STEPS"}}, steps, {{50, 50}}},
      {{{"eval_steps", "50"}, {"eval_strategy", "epoch"}, {"save_steps", "10"}},
       steps,
       {saved(10)}},
      {{{"eval_steps", "0.25"}}, steps, {{250, 250}}},
      {{{"evaluate_every", "20"}, {"start_eval_at", "50"}}, epochs, {{50, 20}}},
      {{{"evaluate_every", "20"}, {"start_eval_at", "50"}}, samples, {{50 * 168, 20 * 168}}},
      {{{"eval_period", "4"}, {"eval_offset", "2"}}, epochs, {{3, 4}}},
      {{{"eval_period", "4"}, {"eval_offset", "0"}}, epochs, {{1, 4}}},
      {{{"eval_every", "384"}}, samples, {{384, 384}}},
      {{{"eval_interval", "42"}}, epochs, {{2, 2}}},                    // 21 steps an epoch
      {{{"eval_interval", "21"}, {"save_interval", "7"}}, epochs, {}},  // part of their times
      {{{"evals_per_epoch", "3"}}, steps, {{7, 7}}},
      {{{"val_check_interval", "1.0"}}, steps, {{21, 21}}},
      {{{"val_check_interval", "300"}}, steps, {{300, 300}}}};
  for (const auto& [parameters, length, expected] : cases) {
    record::Record record;
    record.parameters.push_back({.name = "command", .value = "python3 train.py"});
    record.work.push_back({.samples_per_epoch = 168, .iterations_per_epoch = 21});
    for (const auto& [name, value] : parameters) {
      record.parameters.push_back({.name = name, .value = value});
    }
    const auto found = stated_schedules(record, length);
    const auto& first = parameters.front().first;
    ASSERT_EQ(found.size(), expected.size()) << first;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_DOUBLE_EQ(found[i].first, expected[i].first) << first;
      EXPECT_DOUBLE_EQ(found[i].every, expected[i].every) << first;
      EXPECT_EQ(found[i].unseen, expected[i].unseen) << first;
    }
    record.parameters.erase(record.parameters.begin());
    EXPECT_TRUE(stated_schedules(record, length).empty()) << "our trainer records each of them";
  }
}

TEST(RunLength, ARunWithoutEpochsHasTheEvaluationsThatItsProgramPrints) {
  auto record = printed(20, 1);  // one after step 10, of 6 s
  for (auto& row : record.iterations) {
    row.start_s += row.index >= 10 ? 6 : 0;
  }
  record.parameters.push_back({.name = "command", .value = "torchrun pretrain.py"});
  record.work.push_back({.iterations_per_epoch = 100});
  const auto without = total_s(record, {.epochs = 1});
  record.parameters.push_back({.name = "eval_interval", .value = "10"});
  EXPECT_NEAR(total_s(record, {.epochs = 1}), 4 + 50 + 6 + 9 * 6, 0.5);
  EXPECT_LT(without, 4 + 50 + 3 * 6);
}

TEST(RunLength, NeedNotBeWholeEpochs) {
  const auto length = length_of_epochs(4.25);
  EXPECT_EQ(length.epochs, 5);
  EXPECT_EQ(to_text(length), "4.25 epochs");
  EXPECT_EQ(to_text(length_of_epochs(4)), "4 epochs");
  record::Record record;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    record.epochs.push_back(
        {.epoch = epoch, .start_s = 10 * static_cast<double>(epoch), .wall_s = 10});
  }
  EXPECT_NEAR(total_s(record, length), 42.5, 1e-9);
}

TEST(RunLength, StepsAreForecastWithoutAnyEpoch) {
  EXPECT_NEAR(total_s(printed(20, 1), {.steps = 1000}), 4 + 500, 1e-9);
  EXPECT_NEAR(total_s(printed(20, 10), {.steps = 1000}), 4 + 500, 1e-9);
}

/// One bar over the whole run does not say how many epochs it was.
TEST(RunLength, TheOnlyBarOfAWholeRunIsNotTakenForAnEpoch) {
  auto record = printed(20, 1);
  record.work.push_back({.iterations_per_epoch = 20});
  const RunLength epochs{.epochs = 100};
  EXPECT_NEAR(total_s(record, epochs), 4 + 100 * 10, 1e-6) << "it runs: the bar may be an epoch's";
  record.header.outcome = "complete";
  const auto answer = forecast_of(record, epochs);
  EXPECT_THAT(std::get<Refusal>(answer).reason,
              testing::HasSubstr("ended with its only bar, of 20 steps"));
  EXPECT_NEAR(total_s(record, {.steps = 1000}), 4 + 500, 1e-9);
  record.parameters.push_back({.name = "epochs", .value = "1"});
  EXPECT_NEAR(total_s(record, epochs), 4 + 100 * 10, 1e-6) << "its only epoch";
}

TEST(RunLength, StepsThatAnEarlierAttemptDidAreNotCounted) {
  auto record = printed(20, 10);
  record.header.resumed_from = "earlier.h5";
  for (auto& row : record.iterations) {
    row.index += 600;
    row.start_s += 10;
  }
  EXPECT_NEAR(total_s(record, {.steps = 1000}), 14 + 0.5 * 400, 1e-9);
}

TEST(RunLength, StepsAreEpochsWhereTheseAreKnown) {
  auto record = printed(30, 1);  // one epoch of 20 steps and evaluation of 3 s, half of the next
  record.work.push_back({.iterations_per_epoch = 20});
  record.epochs.push_back({.epoch = 0, .start_s = 4, .wall_s = 10, .evaluate_s = 3});
  for (std::size_t i = 40; i < record.iterations.size(); ++i) {
    record.iterations[i].epoch = 1;
    record.iterations[i].index -= 20;
    record.iterations[i].start_s += 3;
  }
  const auto epochs = epochs_of_steps(50, 20);
  EXPECT_EQ(epochs.epochs, 3);
  EXPECT_DOUBLE_EQ(epochs.unfinished, 0.5);
  EXPECT_NEAR(total_s(record, {.steps = 50}), 4 + 0.5 * 50 + 3 * 3, 1e-9);
  EXPECT_NEAR(total_s(record, {.steps = 60}), total_s(record, {.epochs = 3}), 1e-9);
}

TEST(RunLength, WithoutAStepIsRefused) {
  record::Record record;
  record.epochs.push_back({.epoch = 0, .start_s = 4, .wall_s = 10});
  EXPECT_EQ(std::get<Refusal>(forecast_of(record, {.steps = 50})).reason,
            "the length of the run is given in steps, but no step is recorded");
}

}  // namespace
}  // namespace epochcast::forecast
