#include "src/forecast/run/series_from_record.hpp"

#include <gmock/gmock.h>

#include "src/record/queries.hpp"

namespace epochcast::forecast {
namespace {

/// Epochs of 4 steps of 1 s on one rank, 0.5 s of each epoch in no step, evaluation of 2 s.
record::Record run_of(std::int64_t epochs, std::int64_t steps_per_epoch,
                      std::int64_t from_epoch = 0) {
  record::Record record;
  record.work.push_back(
      {.samples_per_epoch = 64 * steps_per_epoch, .iterations_per_epoch = steps_per_epoch});
  record.machines.emplace_back();
  double time_s = 5;
  for (std::int64_t epoch = from_epoch; epoch < from_epoch + epochs; ++epoch) {
    const double start_s = time_s;
    for (std::int64_t step = 0; step < steps_per_epoch; ++step, time_s += 1) {
      record.iterations.push_back({.epoch = epoch,
                                   .index = step,
                                   .start_s = time_s,
                                   .wait_s = 0.25,
                                   .step_s = 0.75,
                                   .samples = 64});
      record.iterations.push_back({.rank = 1, .epoch = epoch, .index = step, .step_s = 99});
    }
    time_s += 0.5;
    record.epochs.push_back({.epoch = epoch,
                             .start_s = start_s,
                             .wall_s = time_s - start_s,
                             .evaluate_s = 2,
                             .samples = 64 * steps_per_epoch,
                             .iterations = steps_per_epoch});
    time_s += 2;
  }
  return record;
}

Forecast answer_of(const record::Record& record, std::int64_t epochs) {
  return std::get<Forecast>(forecast_of(record, {.epochs = epochs}));
}

TEST(SeriesFromRecord, CountsEverythingThatAnEpochTakes) {
  const auto found = answer_of(run_of(2, 20), 10);
  EXPECT_NEAR(found.total_s.value, 5 + 10 * (20 + 0.5 + 2), 1e-9);
  EXPECT_DOUBLE_EQ(naive_total_s(run_of(2, 20), 10).value(), 5 + 10 * (20 + 0.5 + 2));
}

// What follows an epoch was seen where the log goes on after it, or the next one has begun.
TEST(SeriesFromRecord, CountsWhatWasSeenAfterTheOnlyEpoch) {
  auto record = run_of(2, 20);
  record.epochs.pop_back();
  record.epochs[0].evaluate_s = 0;
  std::erase_if(record.iterations, [](const auto& row) { return row.epoch == 1 && row.index > 4; });
  EXPECT_NEAR(answer_of(record, 10).total_s.value, 5 + 10 * (20 + 0.5 + 2), 0.2)
      << "what the second one spends outside of its steps comes at its end";
  std::erase_if(record.iterations, [](const auto& row) { return row.epoch == 1; });
  EXPECT_NEAR(answer_of(record, 10).total_s.value, 5 + 10 * (20 + 0.5), 1e-9);
  record.spans.push_back({.name = after_last_span, .epoch = 0, .start_s = 25.5, .duration_s = 1.5});
  EXPECT_NEAR(answer_of(record, 10).total_s.value, 5 + 10 * (20 + 0.5 + 1.5), 1e-9);
}

TEST(SeriesFromRecord, CountsNoChoiceOfKernelsBetweenEpochs) {  // later epochs need none
  auto record = run_of(2, 20);
  const double without_s = answer_of(record, 10).total_s.value;
  record.spans.push_back({"choose_kernels", 0, 20, 7});
  record.spans.push_back({"choose_kernels", 0, 30, 2});
  record.epochs[1].start_s += 9;
  for (auto& row : record.iterations) {
    row.start_s += row.epoch == 1 ? 9 : 0;
  }
  EXPECT_NEAR(answer_of(record, 10).total_s.value, without_s, 1e-9);
}

TEST(SeriesFromRecord, TakesEpochsWhereIterationsAreFewOrNone) {
  EXPECT_NEAR(answer_of(run_of(3, 3), 10).total_s.value, 5 + 10 * (3 + 0.5 + 2), 1e-9);
  auto without = run_of(3, 20);
  without.iterations.clear();
  EXPECT_NEAR(answer_of(without, 10).total_s.value, 5 + 10 * (20 + 0.5 + 2), 1e-9);
}

/// As a program prints that tells its mean step every `every` steps: 0.9 of each epoch is printed.
record::Record printed_every(std::int64_t every, record::Record record) {
  std::erase_if(record.iterations, [&](const record::Iteration& row) {
    return row.rank != 0 || (row.index + 1) % every != 0 || row.index + 1 == 100;
  });
  return record;
}

TEST(SeriesFromRecord, RowsOfSeveralStepsEachStandForAllOfThem) {
  const auto record = printed_every(10, run_of(2, 100));
  EXPECT_EQ(steps_of_rows(record::first_rank(record)), std::vector<std::int64_t>(18, 10));
  EXPECT_NEAR(answer_of(record, 10).total_s.value, 5 + 10 * (100 + 0.5 + 2), 1);
  auto cut = printed_every(10, run_of(2, 100));
  cut.epochs.pop_back();
  std::erase_if(cut.iterations, [](const auto& row) { return row.epoch > 0 && row.index > 40; });
  EXPECT_NEAR(answer_of(cut, 10).total_s.value, 5 + 10 * (100 + 0.5 + 2), 1)
      << "in its second epoch";
}

TEST(SeriesFromRecord, TheFirstPrintMayBeLate) {
  auto record = printed_every(10, run_of(2, 100));
  record.iterations.erase(record.iterations.begin());
  EXPECT_NEAR(answer_of(record, 10).total_s.value, 5 + 10 * (100 + 0.5 + 2), 1);
}

TEST(SeriesFromRecord, ReportsThatNoEpochEnded) {
  auto record = run_of(1, 20);
  record.epochs.clear();
  const auto found = answer_of(record, 10);
  EXPECT_NEAR(found.total_s.value, 5 + 10 * 20, 1e-9);
  EXPECT_THAT(found.reasons,
              testing::ElementsAre("no epoch has ended: how much of the first one is warm-up is "
                                   "not known, and the forecast lacks evaluation and checkpoints"));
  EXPECT_FALSE(naive_total_s(record, 10));
}

/// A pilot that its iterations end within an epoch measures what follows one all the same.
TEST(SeriesFromRecord, TakesWhatAPilotMeasuredAfterItsLastStep) {
  auto record = run_of(1, 20);
  record.epochs.clear();
  record.spans.push_back({.name = "evaluate", .epoch = 0, .start_s = 25, .duration_s = 2});
  record.spans.push_back({.name = "checkpoint", .epoch = 0, .start_s = 27, .duration_s = 1});
  const auto found = answer_of(record, 10);
  EXPECT_NEAR(found.total_s.value, 5 + 10 * (20 + 3), 1e-9);
  EXPECT_THAT(found.reasons, testing::Not(testing::Contains(testing::HasSubstr("no epoch ended"))));
}

TEST(SeriesFromRecord, TakesEvaluationsWithinAnEpochWithItsSteps) {
  auto record = run_of(1, 20);
  record.epochs.clear();
  record.work.front() = {.samples_per_epoch = 64 * 40, .iterations_per_epoch = 40};  // half is seen
  record.spans.push_back({.name = "evaluate_within", .epoch = 0, .start_s = 15, .duration_s = 2});
  record.spans.push_back({.name = "evaluate", .epoch = 0, .start_s = 27, .duration_s = 3});
  EXPECT_NEAR(answer_of(record, 10).total_s.value, 5 + 10 * (40 + 2 * 2 + 3), 1e-9);
}

TEST(SeriesFromRecord, ExcludesWhatAnEarlierAttemptDid) {
  auto record = run_of(2, 20, 6);
  record.header.resumed_from = "earlier.h5";
  EXPECT_NEAR(answer_of(record, 10).total_s.value, 5 + 4 * (20 + 0.5 + 2), 1e-9);
  EXPECT_FALSE(naive_total_s(record, 10));
}

TEST(SeriesFromRecord, ForecastsEpochsThatTheRecordLacksLikeTheOthers) {
  auto record = run_of(1, 20, 19);
  EXPECT_NEAR(answer_of(record, 20).total_s.value, 5 + 20 * (20 + 0.5 + 2), 1e-9);
  EXPECT_THAT(answer_of(record, 20).reasons,
              testing::Contains(testing::HasSubstr("epochs 1 to 19 are not in the record")));
  auto steps = record;
  steps.epochs.clear();
  EXPECT_EQ(std::get<Refusal>(forecast_of(steps, {.epochs = 20})).reason,
            "the record begins within epoch 20: how long those before took is not known");
  for (auto& iteration : record.iterations) {  // all 19 were before its first step
    iteration.start_s += 500;
  }
  record.epochs.front().start_s += 500;
  EXPECT_NEAR(answer_of(record, 20).total_s.value, 505 + 20 + 0.5 + 2, 1e-9);
}

TEST(SeriesFromRecord, OfEndsOnlyForecastsTheFirstEpochWithAWiderInterval) {
  auto lacking = run_of(3, 20, 1);  // epochs 2 to 4
  lacking.iterations.clear();
  auto whole = run_of(4, 20);
  whole.iterations.clear();
  const auto found = answer_of(lacking, 10).total_s;
  EXPECT_NEAR(found.value, 5 + 10 * (20 + 0.5 + 2), 1e-9);
  EXPECT_GT(found.interval_95.high, answer_of(whole, 10).total_s.interval_95.high);
}

/// The first epoch took `start_s` more, for the start of the program is in it.
record::Record of_unknown_begin(std::int64_t epochs, double start_s) {
  auto record = run_of(epochs, 20);
  record.iterations.clear();
  for (auto& epoch : record.epochs) {
    epoch.start_s += epoch.epoch > 0 ? start_s - 5 : -5;
  }
  record.epochs.front().wall_s += start_s;
  record.spans = {record::run_span(record::begin_unknown_span, 0, 20 + start_s)};
  return record;
}

TEST(SeriesFromRecord, TakesAFirstEpochOfUnknownBeginAsTheStart) {
  for (const double start_s : {0.0, 10.0, 100.0}) {
    const auto found = answer_of(of_unknown_begin(3, start_s), 10);
    EXPECT_NEAR(found.total_s.value, start_s + 10 * (20 + 0.5 + 2), 0.01 * found.total_s.value);
    EXPECT_THAT(found.reasons, testing::Contains(testing::HasSubstr("when epoch 1 began")));
    EXPECT_LT(found.total_s.interval_95.high, 1.2 * (start_s + 225));
  }
  const auto one = answer_of(of_unknown_begin(1, 10), 10).total_s;
  EXPECT_LT(one.interval_95.low, 10 + 225) << "10 of its 30 s may be the start";
}

TEST(SeriesFromRecord, TakesAPrintedTotalWhereEpochsAreMissing) {
  auto record = run_of(1, 20, 19);
  record.iterations.clear();
  record.parameters.push_back({.name = "epochs", .value = "20"});
  record.spans.push_back({.name = total_span, .epoch = -1, .duration_s = 400});
  EXPECT_NEAR(answer_of(record, 20).total_s.value, 400, 1e-9);
  EXPECT_NEAR(answer_of(record, 40).total_s.value, 800, 1e-9);
  record.epochs.clear();
  const auto found = answer_of(record, 20);
  EXPECT_NEAR(found.total_s.value, 400, 1e-9);
  EXPECT_LT(found.total_s.interval_80.low, 399) << "one value says nothing of others";
  EXPECT_GT(found.total_s.interval_95.high, 401);
  EXPECT_THAT(found.reasons, testing::ElementsAre("from the printed total of its 20 epochs"));
}

TEST(SeriesFromRecord, ThatHoldsNothingIsRefused) {
  EXPECT_EQ(std::get<Refusal>(forecast_of(record::Record{}, {.epochs = 10})).reason,
            "no step measured");
  EXPECT_EQ(std::get<Refusal>(forecast_of(run_of(1, 20), {.epochs = 0})).reason,
            "the amount of work is not known");
}

}  // namespace
}  // namespace epochcast::forecast
