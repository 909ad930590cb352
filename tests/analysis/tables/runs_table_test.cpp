#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/table_parts/table_spec.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(RunsTable, GivesEveryRecordARowWhateverItsOutcome) {
  auto stopped = made_record({.epochs = 3});
  stopped.header.outcome = "stopped";
  stopped.header.outcome_text = "time limit";
  stopped.epochs.pop_back();
  auto tainted = made_record({.epochs = 1, .claimed_gpu = "t4"});
  tainted.header.tainted = "got 1 CPU, asked for 2";
  const auto tables = analysis::tables::all().at("runs").make(
      {loaded(stopped), loaded(tainted), {"nothing.h5", record::Record{}}}, {});
  const auto& table = part_of(tables, "runs");
  EXPECT_THAT(column_of(table, "outcome"), ElementsAre("stopped", "complete", "running"));
  EXPECT_THAT(column_of(table, "outcome_text"), ElementsAre("time limit", "", ""));
  EXPECT_THAT(column_of(table, "epochs_recorded"), ElementsAre("2", "1", "0"));
  EXPECT_THAT(column_of(table, "epochs"), ElementsAre("3", "1", ""));
  EXPECT_THAT(column_of(table, "total_s"), ElementsAre("", "11.0", ""));
  EXPECT_THAT(column_of(table, "tainted"), ElementsAre("", "got 1 CPU, asked for 2", ""));
  EXPECT_THAT(column_of(table, "device"), ElementsAre("cpu", "cpu (t4 claimed)", "cpu"));
}

TEST(RunsTable, ShowsTheParametersThatDifferAndWhatTheRunsReached) {
  std::vector<LoadedRecord> records;
  for (const auto& [rate, accuracy] : {std::pair{"0.1", 0.5}, {"0.01", 0.75}, {"1", 0.25}}) {
    auto record = made_record({});
    record.parameters.push_back(parameter_row("optimizer.learning_rate", rate));
    record.metrics.push_back({0, "val_accuracy", accuracy});
    records.push_back(loaded(record));
  }
  const auto tables = tables::all().at("runs").make(records, {});
  const auto& table = part_of(tables, "runs");
  EXPECT_THAT(column_of(table, "optimizer.learning_rate"), ElementsAre("0.1", "0.01", "1"));
  EXPECT_THAT(column_of(table, "best_accuracy"), ElementsAre("0.5000", "0.7500", "0.2500"));
  EXPECT_THAT(column_of(table, "model"), IsEmpty()) << "all runs have the same";
  EXPECT_THAT(column_of(tables::all().at("runs").make(records, {.by = {"model"}}).front(), "model"),
              ElementsAre("dcgan", "dcgan", "dcgan"));
}

/// 1000 samples of 512 tokens in 10 s.
record::Record language_model(const MadeRun& run) {
  auto record = made_record(run);
  record.parameters.push_back(parameter_row("sequence_length", "512"));
  record.parameters.push_back(parameter_row("parameters", "1e9"));
  record.work.front().precision = "bf16";
  return record;
}

TEST(RunsTable, ShowsTokensModelFlopsAndTheirPartOfThePeak) {
  const std::vector<LoadedRecord> records{
      loaded(language_model({.epochs = 3, .gpu = "NVIDIA A100-SXM4-80GB"})),
      loaded(language_model({.epochs = 3, .gpu = "NVIDIA Unheard-of 1"})),
      loaded(language_model({.epochs = 3})), loaded(made_record({.epochs = 2}))};
  const auto table = part_of(tables::all().at("runs").make(records, {}), "runs");
  EXPECT_THAT(column_of(table, "samples_per_s"), ElementsAre("100.0", "100.0", "100.0", "100.0"));
  EXPECT_THAT(column_of(table, "tokens_per_s"), ElementsAre("51200", "51200", "51200", ""));
  EXPECT_THAT(column_of(table, "model_tflop_per_s"),  // 6 x 1e9 x 51200
              ElementsAre("307.20", "307.20", "307.20", ""));
  EXPECT_THAT(column_of(table, "mfu_percent"), ElementsAre("98.5", "", "", "")) << "of 312";
  EXPECT_THAT(table.notes, Not(Contains(HasSubstr("MFU")))) << "it is possible";
  const auto wrong =
      part_of(tables::all().at("runs").make(records, {.work = {.parameters = 1.4e9}}), "runs");
  EXPECT_THAT(
      wrong.notes,
      Contains(HasSubstr("MFU of 138 %: are the device, its number and the parameters right?")));
  const auto two =
      part_of(tables::all().at("runs").make(
                  records, {.work = {.flops_per_token = 1e9, .tokens_per_sample = 256, .gpus = 2}}),
              "runs");
  EXPECT_THAT(column_of(two, "tokens_per_s"), ElementsAre("25600", "25600", "25600", "25600"));
  EXPECT_THAT(column_of(two, "mfu_percent"), ElementsAre("4.1", "", "", ""));
}

TEST(RunsTable, ShowsTheFlopsThatATrainerCounted) {
  auto record = made_record({.epochs = 2, .gpu = "NVIDIA A100-SXM4-80GB"});
  record.work.front().flops_per_sample = 1e10;
  const auto table = part_of(tables::all().at("runs").make({loaded(record)}, {}), "runs");
  EXPECT_THAT(column_of(table, "tokens_per_s"), IsEmpty());
  EXPECT_THAT(column_of(table, "model_tflop_per_s"), ElementsAre("1.00"));
  EXPECT_THAT(column_of(table, "mfu_percent"), ElementsAre("5.1")) << "of 19.5 in FP32";
}

TEST(RunsTable, HasNoMfuOfAProgramOfOthersWhoseGpusAreNotKnown) {
  auto record = language_model({.epochs = 2, .gpu = "NVIDIA A100-SXM4-80GB"});
  record.parameters.push_back(parameter_row("command", "torchrun --nproc-per-node=8 train.py"));
  const auto mfu = [&](const record::Record& of) {
    return column_of(part_of(tables::all().at("runs").make({loaded(of)}, {}), "runs"),
                     "mfu_percent");
  };
  EXPECT_THAT(mfu(record), IsEmpty()) << "it may have started eight processes";
  record.allocation = {{"nodes", "2", "", ""}, {"gpus_per_node", "8", "", ""}};
  EXPECT_THAT(mfu(record), ElementsAre("6.2"));
}

TEST(RunsTable, CountsTokensOfBlocksThatHaveThem) {
  auto record = made_record({.epochs = 2, .source = "imported:mllog"});
  record.parameters.push_back(parameter_row("block_work", "tokens"));
  record.parameters.push_back(parameter_row("sequence_length", "10"));
  const auto table = part_of(tables::all().at("runs").make({loaded(record)}, {}), "runs");
  EXPECT_THAT(column_of(table, "samples_per_s"), ElementsAre("10.0"));
  EXPECT_THAT(column_of(table, "tokens_per_s"), ElementsAre("100"));
}

TEST(RunsTable, NamesTheParametersThatDoNotFit) {
  std::vector<LoadedRecord> records;
  for (const std::string value : {"1", "2"}) {
    auto record = made_record({});
    for (int i = 0; i < 10; ++i) {
      record.parameters.push_back(parameter_row("model.option" + std::to_string(i), value));
    }
    records.push_back(loaded(record));
  }
  EXPECT_THAT(part_of(tables::all().at("runs").make(records, {}), "runs").notes,
              ElementsAre("2 more parameters differ (--by NAME shows one): model.option8, "
                          "model.option9"));
}

}  // namespace
}  // namespace epochcast::analysis
