#include "src/training/torch/profile/step_profiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "src/record/reader.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/files.hpp"

namespace epochcast::libtorch {
namespace {

using testing::HasSubstr;

/// A perceptron; its reference procedure trains with LibTorch's plain operators.
run::RunConfig profiled_run(std::int64_t steps) {
  run::RunConfig config;
  config.model = "mlp";
  config.dataset = "disc";
  config.dataset_options = {{"samples", "1000"}};
  config.batch = 10;
  config.procedure = "reference";
  config.profile = steps;
  return config;
}

/// What the profiler records of `steps` steps, as the loop of a training calls it.
record::Record profile_of(const run::RunConfig& config, int steps, const TemporaryFolder& folder) {
  StepProfiler profiler(config, folder.path());
  const auto workload = make_workload(config, {}, 1);
  const std::string path = folder / "a.h5";
  record::Record start;
  start.work.push_back(workload->describe());
  record::RecordWriter writer(path, start);
  workload->start_epoch(0);
  for (int i = 0; i < steps; ++i) {
    EXPECT_GT(workload->load_batch().samples, 0);
    profiler.step_begins({0, i});
    workload->step();
    profiler.step_ends({.index = i}, {});
    profiler.append_rows(writer);
  }
  profiler.run_ends();
  profiler.append_rows(writer);
  writer.finish(run::Outcome::complete, "done");
  return record::read_record(path);
}

const record::Operator* operator_named(const record::Record& record, std::string_view name) {
  for (const auto& row : record.operators) {
    if (row.name.view() == name) {
      return &row;
    }
  }
  return nullptr;
}

TEST(StepProfiler, RecordsTheOperatorsOfTheStepsAfterTheWarmUp) {
  const TemporaryFolder folder;
  const auto record = profile_of(profiled_run(3), 10, folder);
  ASSERT_EQ(record.profile.size(), 1U);
  const auto& profile = record.profile.front();
  EXPECT_EQ(profile.covers.view(), "3 steps, from step 6 of epoch 1");
  EXPECT_EQ(profile.steps, 3);
  EXPECT_EQ(profile.first_iteration, 5);
  EXPECT_EQ(profile.self_device_s, 0);
  EXPECT_GT(profile.self_cpu_s, 0);
  EXPECT_LE(profile.self_cpu_s, profile.wall_s) << "one thread: operators are within the steps";
  double self_cpu_s = 0;
  for (const auto& row : record.operators) {
    EXPECT_EQ(row.calls % 3, 0) << row.name.view() << ": all steps are alike";
    EXPECT_LE(row.self_cpu_s, row.cpu_total_s) << row.name.view();
    self_cpu_s += row.self_cpu_s;
  }
  EXPECT_NEAR(self_cpu_s, profile.self_cpu_s, 1e-9);
  EXPECT_NE(operator_named(record, "aten::addmm"), nullptr);
  EXPECT_NE(operator_named(record, "Optimizer.step#SGD.step"), nullptr);
  EXPECT_EQ(operator_named(record, "epochcast::step"), nullptr);
  EXPECT_THAT(record.header.tainted.str(), HasSubstr("3 steps were profiled"));
  EXPECT_TRUE(record.operator_shapes.empty());
}

TEST(StepProfiler, CountsTheSameFlopAsTheRecordDoes) {
  auto config = profiled_run(4);
  config.profile_flops = true;
  const TemporaryFolder folder;
  const auto record = profile_of(config, 10, folder);
  double flops = 0;
  for (const auto& row : record.operators) {
    flops += row.flops;
    EXPECT_LE(row.work_s, row.cpu_total_s + 1e-12) << row.name.view();
  }
  EXPECT_DOUBLE_EQ(flops, 4 * 10 * record.work.front().flops_per_sample);
  EXPECT_EQ(operator_named(record, "aten::t")->bytes, 0) << "a view moves nothing";
  EXPECT_GT(operator_named(record, "aten::addmm")->bytes, 0);
}

TEST(StepProfiler, RecordsShapesAndWritesATraceWhereAsked) {
  auto config = profiled_run(2);
  config.profile_shapes = true;
  config.profile_trace = "trace.json";
  const TemporaryFolder folder;
  const auto record = profile_of(config, 8, folder);
  std::int64_t calls = 0;
  for (const auto& row : record.operator_shapes) {
    calls += row.name.view() == "aten::addmm" ? row.calls : 0;
  }
  EXPECT_EQ(calls, operator_named(record, "aten::addmm")->calls);
  std::ifstream file(folder / "trace.json");
  const auto trace = nlohmann::json::parse(file);
  int steps = 0;
  for (const auto& event : trace.at("traceEvents")) {
    steps += event.value("name", "") == "epochcast::step" && event.value("ph", "") == "X" ? 1 : 0;
  }
  EXPECT_EQ(steps, 2);
}

TEST(StepProfiler, ARunThatEndsEarlyHasAProfileOfItsStepsSoFar) {
  const TemporaryFolder folder;
  const auto record = profile_of(profiled_run(9), 7, folder);
  ASSERT_EQ(record.profile.size(), 1U);
  EXPECT_EQ(record.profile.front().covers.view(),
            "2 steps, from step 6 of epoch 1 (the run ended before 9)");
  EXPECT_EQ(record.profile.front().steps, 2);
}

TEST(StepProfiler, ARunThatEndsInTheWarmUpSaysSoAndIsNotTainted) {
  const TemporaryFolder folder;
  const auto record = profile_of(profiled_run(9), 4, folder);
  ASSERT_EQ(record.profile.size(), 1U);
  EXPECT_EQ(record.profile.front().covers.view(), "no step: the run ended within its first 5");
  EXPECT_TRUE(record.operators.empty());
  EXPECT_TRUE(record.header.tainted.view().empty());
}

/// The rows of the published tables: of a vision transformer, one forward pass of one image.
run::RunConfig inference_of(const std::string& procedure) {
  run::RunConfig config;
  config.task = run::Task::infer;
  config.model = "deit_tiny";
  config.model_options = {{"layers", "2"}};
  config.dataset = "synthetic";
  config.dataset_options = {{"samples", "3"}};
  config.batch = 1;
  config.procedure = procedure;
  config.profile = 1;
  config.profile_start = true;
  return config;
}

TEST(StepProfiler, ProfilesTheStartAndTheFirstForwardPassWhereAsked) {
  const TemporaryFolder folder;
  const auto record = profile_of(inference_of("reference"), 3, folder);
  ASSERT_EQ(record.profile.size(), 1U);
  EXPECT_EQ(record.profile.front().covers.view(), "the start and 1 step, from step 1 of epoch 1");
  EXPECT_EQ(operator_named(record, "aten::bmm")->calls, 2 * 2) << "two in a layer, of one pass";
  EXPECT_NE(operator_named(record, "aten::normal_"), nullptr) << "the weights are drawn";
  EXPECT_EQ(operator_named(record, "epochcast::start"), nullptr);
  EXPECT_THAT(record.header.tainted.str(), HasSubstr("1 step was profiled, which slows it"));
}

TEST(StepProfiler, StepsAloneHaveNothingOfTheStart) {
  auto config = inference_of("reference");
  config.dataset_options = {{"samples", "9"}};
  config.profile_start = false;
  const TemporaryFolder folder;
  const auto record = profile_of(config, 9, folder);
  EXPECT_EQ(record.profile.front().covers.view(), "1 step, from step 6 of epoch 1");
  EXPECT_EQ(operator_named(record, "aten::normal_"), nullptr);
  EXPECT_EQ(operator_named(record, "epochcast::start"), nullptr);
}

TEST(StepProfiler, TheReferencesAttentionHasTheOperatorsOfThePublishedModels) {
  const TemporaryFolder folder;
  const std::string fused = "aten::_scaled_dot_product_flash_attention_for_cpu";
  const auto reference = profile_of(inference_of("reference"), 3, folder);
  EXPECT_NE(operator_named(reference, "aten::_softmax"), nullptr);
  EXPECT_EQ(operator_named(reference, fused), nullptr);
  const TemporaryFolder other;
  const auto optimized = profile_of(inference_of("optimized"), 3, other);
  EXPECT_NE(operator_named(optimized, fused), nullptr);
}

TEST(StepProfiler, WithoutTheOptionRecordsNothing) {
  const TemporaryFolder folder;
  const auto record = profile_of(profiled_run(0), 7, folder);
  EXPECT_TRUE(record.profile.empty());
  EXPECT_TRUE(record.header.tainted.view().empty());
}

}  // namespace
}  // namespace epochcast::libtorch
