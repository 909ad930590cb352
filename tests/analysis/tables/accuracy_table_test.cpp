#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A run of a thousand items with that accuracy.
LoadedRecord accuracy_run(const std::string& task, const std::string& allocation, double accuracy,
                          std::int64_t batch = 256) {
  auto record = made_record({.allocation = allocation,
                             .gpu = allocation == "v100" ? "Tesla V100-SXM2-16GB" : "",
                             .batch = batch});
  record.parameters.push_back(parameter_row("task", task));
  record.metrics.push_back({0, task == "infer" ? "accuracy" : "val_accuracy", accuracy});
  return loaded(record);
}

std::vector<table::Table> accuracy_tables(const std::vector<LoadedRecord>& records) {
  return tables::all().at("accuracy").make(records, {});
}

TEST(AccuracyTable, GivesThePublishedAccuraciesToTheDigit) {
  const TemporaryFolder folder;
  write_records(importers::all().at("published").read("image_training", {}).records, folder.path());
  const auto tables = accuracy_tables(record::load_records({folder.path()}).records);
  const auto scores = part_of(tables, "accuracy");
  const auto models = column_of(scores, "model");
  const auto accuracies = column_of(scores, "accuracy");
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < models.size(); ++i) {
    rows.push_back(models[i] + " " + accuracies[i]);
  }
  EXPECT_THAT(rows, testing::UnorderedElementsAre("vit_base 0.9360", "convnextv2_nano 0.8540",
                                                  "convnextv2_nano 0.8230", "deit_tiny 0.7750",
                                                  "deit_tiny 0.7740", "convnextv2_tiny 0.9030",
                                                  "convnextv2_base 0.9570", "convnext_small 0.7760",
                                                  "convnext_small 0.7800"));
  EXPECT_THAT(column_of(part_of(tables, "excluded"), "reason"),
              testing::Each("has no accuracy on held-out data"))
      << "those with times only";
}

TEST(AccuracyTable, HasEveryScoreThatWasRecorded) {
  auto run = accuracy_run("infer", "cpu2", 0.75);
  for (const auto& [name, value] :
       {std::pair("balanced_accuracy", 0.5), {"precision", 0.25}, {"recall", 0.125}, {"f1", 0.3}}) {
    run.record.metrics.push_back({0, name, value});
  }
  const auto scores = part_of(accuracy_tables({run}), "accuracy");
  EXPECT_THAT(column_of(scores, "balanced_accuracy"), ElementsAre("0.5000"));
  EXPECT_THAT(column_of(scores, "precision"), ElementsAre("0.2500"));
  EXPECT_THAT(column_of(scores, "recall"), ElementsAre("0.1250"));
  EXPECT_THAT(column_of(scores, "f1"), ElementsAre("0.3000"));
}

TEST(AccuracyTable, TakesATrainingAfterItsLastEpochAndNamesItsBest) {
  auto run = accuracy_run("train", "cpu2", 0.9);
  run.record.metrics.push_back({1, "val_accuracy", 0.8});
  run.record.metrics.push_back({1, "accuracy", 0.99});  // of the training as it goes
  const auto tables = accuracy_tables({run});
  EXPECT_THAT(column_of(part_of(tables, "accuracy"), "accuracy"), ElementsAre("0.8000"));
  EXPECT_THAT(column_of(part_of(tables, "accuracy"), "best_accuracy"), ElementsAre("0.9000"));
}

TEST(AccuracyTable, NeverTakesAnEvaluationWithinAnEpochForTheBest) {
  auto run = accuracy_run("train", "cpu2", 0.9);
  run.record.metrics.insert(run.record.metrics.begin(), {0, "val_accuracy", 0.95, 2});
  EXPECT_THAT(column_of(part_of(accuracy_tables({run}), "accuracy"), "best_accuracy"),
              ElementsAre("0.9000"));
  auto inference = accuracy_run("infer", "cpu2", 0.9);
  inference.record.metrics.push_back({0, "val_accuracy", 0.9});
  EXPECT_THAT(column_of(part_of(accuracy_tables({inference}), "accuracy"), "best_accuracy"),
              ElementsAre(""));
}

TEST(AccuracyTable, ReportsThatTheSameWeightsAnswerEquallyWellOnBothDevices) {
  const auto tables = accuracy_tables(
      {accuracy_run("infer", "cpu2", 0.875, 1), accuracy_run("infer", "v100", 0.875, 64)});
  const auto check = part_of(tables, "same_weights");
  EXPECT_THAT(column_of(check, "first"), ElementsAre("cpu2"));
  EXPECT_THAT(column_of(check, "second"), ElementsAre("v100"));
  EXPECT_THAT(column_of(check, "difference"), ElementsAre("0.000000"));
  EXPECT_THAT(column_of(check, "verdict"), ElementsAre("equal"));
}

TEST(AccuracyTable, ReportsByHowMuchTheyDiffer) {
  const auto check = part_of(
      accuracy_tables({accuracy_run("infer", "cpu2", 0.875), accuracy_run("infer", "v100", 0.873)}),
      "same_weights");
  EXPECT_THAT(column_of(check, "verdict"), ElementsAre("NOT EQUAL"));
  EXPECT_THAT(column_of(check, "difference"), ElementsAre("0.002000"));
  EXPECT_THAT(column_of(check, "items"), ElementsAre("2"));
}

TEST(AccuracyTable, ComparesNoTrainingsAndNoOtherSeeds) {
  auto other_seed = accuracy_run("infer", "v100", 0.8);
  other_seed.record.parameters.push_back(parameter_row("seed", "2"));
  for (const auto& table :
       accuracy_tables({accuracy_run("train", "cpu2", 0.9), accuracy_run("train", "v100", 0.8),
                        accuracy_run("infer", "cpu2", 0.9), other_seed})) {
    EXPECT_NE(table.name, "same_weights");
  }
}

TEST(AccuracyTable, NamesNoOptionsOfTrainingForAnInference) {
  auto first = accuracy_run("infer", "cpu2", 0.9);
  auto second = accuracy_run("infer", "cpu2", 0.9);
  first.record.parameters.push_back(parameter_row("clip_norm", "1"));
  first.record.parameters.push_back(parameter_row("optimizer.rate", "0.1"));
  second.record.parameters.push_back(parameter_row("schedule", "linear"));
  auto third = accuracy_run("infer", "cpu2", 0.8);
  third.record.parameters.push_back(parameter_row("dataset.limit", "20"));
  const auto scores = part_of(accuracy_tables({first, second, third}), "accuracy");
  EXPECT_THAT(column_of(scores, "model"), ElementsAre("dcgan", "dcgan dataset.limit=20"));
  EXPECT_THAT(column_of(scores, "runs"), ElementsAre("2", "1"));
}

TEST(AccuracyTable, NamesWhatDiffersAmongRowsOfOneModelAndTask) {
  auto training = accuracy_run("train", "cpu2", 0.9);
  training.record.parameters.push_back(parameter_row("clip_norm", "1"));
  auto other = accuracy_run("train", "cpu2", 0.8);
  other.record.parameters.push_back(parameter_row("clip_norm", "1"));
  other.record.parameters.front() = parameter_row("model", "lenet");
  const auto scores =
      part_of(accuracy_tables({training, other, accuracy_run("infer", "cpu2", 0.9)}), "accuracy");
  EXPECT_THAT(column_of(scores, "model"), ElementsAre("dcgan", "dcgan", "lenet"));
}

TEST(AccuracyTable, ExcludesWhatDidNotEnd) {
  auto failed = accuracy_run("infer", "cpu2", 0.9);
  failed.record.header.outcome = "failed";
  failed.record.header.outcome_text = "the data set is not there";
  EXPECT_THAT(column_of(part_of(accuracy_tables({failed}), "excluded"), "reason"),
              Contains(HasSubstr("the data set is not there")));
}

}  // namespace
}  // namespace epochcast::analysis
