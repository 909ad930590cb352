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

/// The tables as they come out of records that went through files.
std::vector<table::Table> published_lab() {
  const TemporaryFolder folder;
  write_records(importers::all().at("published").read("lab", {}).records, folder.path());
  return tables::all().at("lab").make(record::load_records({folder.path()}).records, {});
}

TEST(PublishedInference, DoesNotJoinTheMacToTheLinuxMachine) {
  const TemporaryFolder folder;
  write_records(importers::all().at("published").read("image_inference", {}).records,
                folder.path());
  const auto records = record::load_records({folder.path()}).records;
  EXPECT_TRUE(tables::all().at("scaling").make(records, {}).front().rows.empty());
  EXPECT_TRUE(part_of(tables::all().at("lab").make(records, {}), "cpu_ratios").rows.empty());
}

TEST(PublishedLab, GivesTheStudysTableToTheDigit) {
  const auto tables = published_lab();
  const auto& lab = part_of(tables, "lab");
  EXPECT_THAT(column_of(lab, "allocation"), ElementsAre("cpu2", "cpu16", "t4", "v100"));
  EXPECT_THAT(column_of(lab, "source"),
              ElementsAre("published", "published", "published", "published"));
  EXPECT_THAT(column_of(lab, "one_epoch_s"), ElementsAre("1486.7", "499.8", "86.5", "33.4"));
  EXPECT_THAT(column_of(lab, "predicted_s"), ElementsAre("29734.0", "9996.0", "1730.0", "668.0"));
  EXPECT_THAT(column_of(lab, "n_epochs_s"), ElementsAre("30522.1", "10313.0", "1528.2", "556.6"));
  EXPECT_THAT(column_of(lab, "error_percent"), ElementsAre("-2.6", "-3.1", "+13.2", "+20.0"));
  EXPECT_THAT(column_of(lab, "examples_per_s"), ElementsAre("27.3", "74.8", "534.8", "1487.4"));
  EXPECT_THAT(column_of(lab, "loss_d_after_1"), ElementsAre("0.637", "0.616", "0.651", "0.662"));
  EXPECT_THAT(column_of(lab, "loss_g_after_1"), ElementsAre("1.344", "1.425", "1.188", "1.175"));
  EXPECT_THAT(column_of(lab, "loss_d_after_N"), ElementsAre("0.025", "0.028", "0.023", "0.171"));
  EXPECT_THAT(column_of(lab, "loss_g_after_N"), ElementsAre("7.760", "7.285", "8.590", "6.550"));
}

TEST(PublishedLab, SaysWhereTheRuleIsTooShortOrTooLongAndWhy) {
  const auto tables = published_lab();
  const auto& lab = part_of(tables, "lab");
  EXPECT_THAT(column_of(lab, "last_epoch_s"), ElementsAre("1484.5", "542.9", "75.9", "27.3"));
  EXPECT_THAT(column_of(lab, "later_epoch_s"), ElementsAre("1528.2", "516.5", "75.9", "27.5"));
  EXPECT_THAT(lab.notes, testing::Contains("1 epoch × N is too short on cpu2 (published), cpu16 "
                                           "(published) (-2.6 to -3.1 %); too long on t4 "
                                           "(published), v100 (published) (+13.2 to +20.0 %)"));
  EXPECT_THAT(lab.notes,
              testing::Contains("t4 (published): 1 epoch × 20 is 28m50s, 20 epochs took 25m28s "
                                "(+13.2 %): the run of 1 epoch took 86.5 s, the later epochs 75.9 "
                                "s each (10.6 s less)"));
}

TEST(PublishedLab, ComparesTheFlopsRatioOfTheReportWithTheObservedOne) {
  const auto tables = published_lab();
  const auto& ratios = part_of(tables, "gpu_ratios");
  EXPECT_THAT(column_of(ratios, "flops_ratio"), ElementsAre("2.02"));
  EXPECT_THAT(column_of(ratios, "observed_ratio"), ElementsAre("2.746"));
  EXPECT_THAT(column_of(ratios, "precision"), ElementsAre("fp32"));
  EXPECT_THAT(ratios.notes, Contains(HasSubstr("16.4 TFLOPS fp32 of NVIDIA V100S PCIe")));
  EXPECT_THAT(
      ratios.notes,
      Contains(HasSubstr("1.94 : 1 from FLOPS were v100 NVIDIA V100 SXM2 (15.7 TFLOPS fp32)")));
}

TEST(PublishedLab, ReportsThatTheReportsFigureHasAWrongLabel) {
  const auto tables = published_lab();
  EXPECT_THAT(part_of(tables, "lab").notes,
              Contains(HasSubstr("16.4 is the single precision of the V100S")));
}

}  // namespace
}  // namespace epochcast::analysis
