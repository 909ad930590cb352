#include "analysis/groups/run_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "analysis/records/record_metrics.hpp"
#include "tests/analysis/made_records.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

LoadedRecord changed(const MadeRun& run, const std::function<void(record::Record&)>& change) {
  auto record = made_record(run);
  change(record);
  return loaded(record);
}

TEST(RecordMetrics, TotalIsTrainingAndPicturesWithoutCheckpointsAsInTheLab) {
  auto record = made_record({.epochs = 3, .epoch_s = 10});
  for (auto& epoch : record.epochs) {
    epoch.evaluate_s = 0.5;
    epoch.checkpoint_s = 100;
  }
  record.spans.push_back({.name = "data_open", .epoch = -1, .start_s = 0, .duration_s = 1000});
  EXPECT_DOUBLE_EQ(total_training_s(record).value(), 11 + 10 + 10 + 3 * 0.5);
}

TEST(RecordMetrics, ATotalThatTheSourcePrintedGoesFirst) {
  auto record = made_record({.epochs = 2});
  record.spans.push_back({.name = "total", .epoch = -1, .start_s = 0, .duration_s = 77});
  EXPECT_DOUBLE_EQ(total_training_s(record).value(), 77);
}

TEST(RecordMetrics, AnEpochThatIsMissingLeavesNoTotal) {
  auto record = made_record({.epochs = 3});
  record.epochs.erase(record.epochs.begin());
  EXPECT_FALSE(total_training_s(record).has_value());
}

TEST(RecordMetrics, ExamplesPerSecondAreOfTheLastEpoch) {
  EXPECT_DOUBLE_EQ(last_examples_per_s(made_record({.epochs = 1, .epoch_s = 9})).value(), 100);
  EXPECT_DOUBLE_EQ(last_examples_per_s(made_record({.epochs = 2, .epoch_s = 20})).value(), 50);
}

TEST(RecordMetrics, AClaimedGpuThatWasNotUsedIsReported) {
  EXPECT_EQ(device_of(made_record({.claimed_gpu = "t4"})), "cpu (t4 claimed)");
  EXPECT_EQ(device_of(made_record({.gpu = "Tesla T4", .claimed_gpu = "t4"})), "Tesla T4");
  EXPECT_EQ(device_of(made_record({})), "cpu");
}

TEST(RecordMetrics, CpusAreThoseUsedThenAllowedThenRequested) {
  auto record = made_record({.cpus = 4});
  EXPECT_EQ(cpus_of(record), 4);
  record.machines[0].threads_used = 0;
  record.machines[0].cpus_allowed_count = 3;
  record.machines.push_back(record.machines[0]);  // a second rank
  EXPECT_EQ(cpus_of(record), 6);
  record.machines.clear();
  EXPECT_EQ(cpus_of(record), 4);
}

TEST(RunGroups, RecognizesARunThatRanOutOfMemory) {
  const auto ran_out = [](const char* outcome, const char* text) {
    record::Record record;
    record.header.outcome = outcome;
    record.header.outcome_text = text;
    return ran_out_of_memory(record);
  };
  EXPECT_TRUE(ran_out("failed", "out of memory on the device: tried to allocate 2 GiB"));
  EXPECT_TRUE(ran_out("failed", "out of memory on the host: DefaultCPUAllocator: can't allocate"));
  EXPECT_TRUE(ran_out("lost", "OUT_OF_MEMORY, exit 0:125")) << "what Slurm says of its job";
  EXPECT_FALSE(ran_out("lost", "NODE_FAIL, exit 0:0"));
  EXPECT_FALSE(ran_out("complete", ""));
}

struct Fault {
  std::function<void(record::Record&)> change;
  const char* reason;
};

TEST(RunGroups, ExcludesRunsWithoutAUsableTimeAndExplainsWhy) {
  const std::vector<Fault> faults{
      {[](record::Record& r) {
         r.header.outcome = "failed";
         r.header.outcome_text = "out of memory";
       },
       "failed: out of memory"},
      {[](record::Record& r) {
         r.header.outcome = "stopped";
         r.header.outcome_text = "time limit";
       },
       "stopped: time limit"},
      {[](record::Record& r) { r.header.outcome = "lost"; }, "lost"},
      {[](record::Record& r) { r.header.outcome = "running"; }, "not finished"},
      {[](record::Record& r) { r.header.tainted = "got 1 CPU, asked for 2"; },
       "tainted: got 1 CPU, asked for 2"},
      {[](record::Record& r) { r.header.restart = 2; },
       "requeued 2 times: another start, perhaps another node"},
      {[](record::Record& r) { r.header.resumed_from = "a.h5"; },
       "resumed from a.h5: its epochs ran in more than one attempt"},
      {[](record::Record& r) { r.epochs.pop_back(); }, "holds 2 of 3 epochs"},
      {[](record::Record& r) { r.parameters.clear(); }, "does not state its number of epochs"}};
  for (const auto& fault : faults) {
    const std::vector<LoadedRecord> records{changed({.epochs = 3}, fault.change)};
    const auto study = sort_runs(records, {});
    EXPECT_THAT(study.groups, IsEmpty()) << fault.reason;
    ASSERT_THAT(study.excluded, SizeIs(1)) << fault.reason;
    EXPECT_EQ(study.excluded[0].reason, fault.reason);
    EXPECT_EQ(study.excluded[0].path, records[0].path);
  }
}

TEST(RunGroups, ExcludesSimulatedRunsOnlyBesideRealOnes) {
  const auto made = loaded(made_record({.repeat = 0}));
  const auto real = loaded(made_record({.repeat = 1, .source = "measured"}));
  EXPECT_THAT(sort_runs({made}, {}).excluded, IsEmpty());
  const auto study = sort_runs({made, real}, {});
  ASSERT_THAT(study.excluded, SizeIs(1));
  EXPECT_EQ(study.excluded[0].reason, "simulated, beside runs that are not");
}

TEST(RunGroups, ExcludesRunsOfOtherParametersThanMostAllocationsHave) {
  const std::vector<LoadedRecord> records{
      loaded(made_record({.repeat = 0})), loaded(made_record({.repeat = 1, .batch = 64})),
      loaded(made_record({.repeat = 2})), loaded(made_record({.allocation = "t4", .batch = 64}))};
  const auto study = sort_runs(records, {});
  ASSERT_THAT(study.groups, SizeIs(2));
  EXPECT_EQ(study.groups[0].chosen, "batch=64");
  EXPECT_EQ(study.groups[0].parameters, study.groups[1].parameters);
  ASSERT_THAT(study.excluded, SizeIs(2));
  EXPECT_EQ(study.excluded[0].reason,
            "different parameters: batch=256, not 64 (separate them with --by or --filter)");
  EXPECT_THAT(sort_runs(records, {"batch"}).excluded, IsEmpty());
  EXPECT_THAT(sort_runs(records, {"batch"}).groups, SizeIs(3));
}

TEST(RunGroups, DoesNotDistinguishInferencesByOptionsOfTraining) {
  const auto inference = [](std::int64_t repeat, const char* name, const char* value) {
    return changed({.repeat = repeat}, [&](record::Record& record) {
      record.parameters.push_back(parameter_row("task", "infer"));
      record.parameters.push_back(parameter_row(name, value));
    });
  };
  const auto study = sort_runs({inference(0, "clip_norm", "1"), inference(1, "schedule", "linear"),
                                inference(2, "optimizer.rate", "0.1")},
                               {});
  ASSERT_THAT(study.groups, SizeIs(1));
  EXPECT_THAT(study.groups[0].runs(1), SizeIs(3));
  EXPECT_THAT(study.excluded, IsEmpty());
}

TEST(RunGroups, OfOneAllocationTakesTheParametersOfMostRuns) {
  const std::vector<LoadedRecord> records{loaded(made_record({.repeat = 0, .batch = 64})),
                                          loaded(made_record({.repeat = 1})),
                                          loaded(made_record({.repeat = 2}))};
  const auto study = sort_runs(records, {});
  ASSERT_THAT(study.groups, SizeIs(1));
  EXPECT_EQ(study.groups[0].chosen, "batch=256");
  EXPECT_THAT(study.excluded, SizeIs(1));
}

TEST(RunGroups, GivesAnAllocationOfOtherWorkAGroupOrExcludesIt) {
  const std::vector<LoadedRecord> records{loaded(made_record({.allocation = "cpu1"})),
                                          loaded(made_record({.allocation = "cpu2"})),
                                          loaded(made_record({.allocation = "t4", .batch = 64}))};
  EXPECT_THAT(sort_runs(records, {}).groups, SizeIs(3));
  const auto alike = sort_runs(records, {}, OtherWork::leave_out);
  EXPECT_THAT(alike.groups, SizeIs(2));
  EXPECT_THAT(alike.excluded, SizeIs(1));
}

TEST(RunGroups, CountsAnAttemptOnceThoughItIsThereTwice) {
  const std::vector<LoadedRecord> records{{"a.h5", made_record({})}, {"b.h5", made_record({})}};
  const auto study = sort_runs(records, {});
  EXPECT_EQ(study.groups.at(0).total_s(1)->n, 1u);
  EXPECT_EQ(study.excluded.at(0).reason, "the same attempt as a.h5");
}

TEST(RunGroups, OrdersAllocationsByGpuAndCpusNotByName) {
  const std::vector<LoadedRecord> records{
      loaded(
          made_record({.allocation = "a_gpu", .cpus = 1, .gpu = "Tesla T4", .claimed_gpu = "t4"})),
      loaded(made_record({.allocation = "cpu16", .cpus = 16})),
      loaded(made_record({.allocation = "cpu2", .cpus = 2}))};
  std::vector<std::string> order;
  for (const auto& group : sort_runs(records, {}).groups) {
    order.push_back(group.allocation);
  }
  EXPECT_THAT(order, ElementsAre("cpu2", "cpu16", "a_gpu"));
}

TEST(RunGroups, AlwaysDifferInAllocationAndSourceSoByNeedNotNameThem) {
  const std::vector records{loaded(made_record({.allocation = "a"})),
                            loaded(made_record({.allocation = "b"}))};
  const auto study = sort_runs(records, {"allocation", "batch", "source"});
  EXPECT_THAT(study.by, ElementsAre("batch"));
  ASSERT_EQ(study.groups.size(), 2U);
  EXPECT_THAT(study.groups[0].by, ElementsAre("256"));
  EXPECT_EQ(study.groups[1].label(), "b 256 (simulated)");
}

TEST(RunGroups, RefusesToSortByWhatNoRecordHas) {
  const std::vector<LoadedRecord> records{loaded(made_record({}))};
  EXPECT_EQ(error_of([&] { sort_runs(records, {"bacth"}); }),
            "no record has 'bacth'; did you mean 'batch'?");
}

TEST(Statistics, MedianOfOddAndEvenAndTheSpread) {
  EXPECT_FALSE(summarize({}).has_value());
  EXPECT_DOUBLE_EQ(summarize({5})->median, 5);
  EXPECT_DOUBLE_EQ(summarize({9, 1, 2})->median, 2);
  EXPECT_DOUBLE_EQ(summarize({9, 1, 2, 4})->median, 3);
  EXPECT_DOUBLE_EQ(summarize({9, 1, 2, 4})->spread, 8);
  EXPECT_EQ(summarize({9, 1, 2, 4})->n, 4u);
}

}  // namespace
}  // namespace epochcast::analysis
