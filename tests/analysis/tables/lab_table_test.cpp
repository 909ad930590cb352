#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/columns.hpp"
#include "src/output/table/format.hpp"
#include "src/output/table/table.hpp"
#include "tests/analysis/made_records.hpp"
#include "tests/analysis/table_parts.hpp"
#include "tests/html.hpp"

namespace epochcast::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<table::Table> lab_of(const std::vector<MadeRun>& runs,
                                 const TableOptions& options = {}) {
  std::vector<LoadedRecord> records;
  for (const auto& run : runs) {
    records.push_back(loaded(made_record(run)));
  }
  return tables::all().at("lab").make(records, options);
}

/// A study with everything in it: repeats, claimed and used GPUs, runs to leave out.
std::vector<LoadedRecord> made_study() {
  std::vector<LoadedRecord> records;
  for (std::int64_t repeat = 0; repeat < 3; ++repeat) {
    const auto jitter = static_cast<double>(repeat) * 0.25;
    for (const std::int64_t epochs : {1, 5}) {
      records.push_back(loaded(made_record({.allocation = "cpu1",
                                            .epochs = epochs,
                                            .repeat = repeat,
                                            .epoch_s = 40 + jitter,
                                            .cpus = 1})));
      records.push_back(loaded(made_record({.allocation = "cpu2",
                                            .epochs = epochs,
                                            .repeat = repeat,
                                            .epoch_s = 22 + jitter,
                                            .cpus = 2})));
      records.push_back(loaded(made_record({.allocation = "t4",
                                            .epochs = epochs,
                                            .repeat = repeat,
                                            .epoch_s = 8 + jitter,
                                            .cpus = 8,
                                            .gpu = "Tesla T4",
                                            .claimed_gpu = "t4"})));
      records.push_back(loaded(made_record({.allocation = "v100",
                                            .epochs = epochs,
                                            .repeat = repeat,
                                            .epoch_s = 3 + jitter,
                                            .cpus = 8,
                                            .gpu = "Tesla V100-SXM2-16GB",
                                            .claimed_gpu = "v100"})));
    }
  }
  records.push_back(loaded(made_record(
      {.allocation = "claimed", .epochs = 5, .epoch_s = 20, .cpus = 8, .claimed_gpu = "t4"})));
  auto failed = made_record({.allocation = "t4", .epochs = 5, .repeat = 3, .claimed_gpu = "t4"});
  failed.header.outcome = "failed";
  failed.header.outcome_text = "CUDA out of memory | 50% of \"batch_1\"";
  records.push_back(loaded(failed));
  return records;
}

/// The tables with their numbers as people read them: the last digits of JSON's are the machine's.
std::vector<table::Table> rounded(std::vector<table::Table> tables) {
  for (auto& table : tables) {
    for (auto& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (const auto* value = std::get_if<double>(&row[i])) {
          row[i] = parse_double(table::number_text(*value, table.columns[i])).value();
        }
      }
    }
  }
  return tables;
}

TEST(LabTable, ExplainsWhyNothingIsPredictedWithoutARunOfOneEpoch) {
  const auto without = part_of(lab_of({{.epochs = 5}}), "lab");
  EXPECT_THAT(without.notes, Contains(HasSubstr("there is no run of 1 epoch")));
  const auto with = part_of(lab_of({{.epochs = 1}, {.epochs = 5}}), "lab");
  EXPECT_THAT(with.notes, Not(Contains(HasSubstr("there is no run of 1 epoch"))));
}

TEST(LabTable, NamesRatiosAndRowsOfDifferentVersionsOfALibrary) {
  auto records = made_study();
  std::erase_if(records, [](const LoadedRecord& loaded) {
    return loaded.record.header.allocation.view() == "cpu1";
  });
  const auto notes_with = [&](const std::string& on_v100) {
    for (auto& loaded : records) {
      const bool is_v100 = loaded.record.header.allocation.view() == "v100";
      loaded.record.machines.front().libraries = is_v100 ? on_v100 : "LibTorch 2.11.0, AVX2";
    }
    auto notes = part_of(tables::all().at("lab").make(records, {}), "gpu_ratios").notes;
    std::erase_if(
        notes, [](const std::string& note) { return note.find("libraries") == std::string::npos; });
    return notes;
  };
  EXPECT_THAT(notes_with("LibTorch 2.7.1, AVX2"),
              ElementsAre("v100 (simulated) : t4 (simulated): different libraries (LibTorch 2.7.1 "
                          "and 2.11.0), so the ratio is not of the allocations alone"));
  EXPECT_THAT(notes_with("LibTorch 2.11.0, AVX512"), testing::IsEmpty());
  EXPECT_THAT(notes_with(""), testing::IsEmpty()) << "not recorded";

  records.back().record = records.front().record;
  records.back().record.header.point = "another";
  records.back().record.machines.front().libraries = "LibTorch 2.7.1";
  EXPECT_THAT(part_of(tables::all().at("lab").make(records, {}), "lab").notes,
              Contains(HasSubstr("its runs used different libraries: LibTorch 2.11.0 and 2.7.1")));
}

TEST(LabTable, NamesRowsWhoseRunsUsedDifferentHardware) {
  std::vector<LoadedRecord> records;
  for (const std::string model : {"EPYC 7003", "EPYC 7003", "Xeon 6230"}) {
    auto record = made_record({.repeat = std::ssize(records), .cpus = 2});
    record.machines.front().cpu_model = model;
    record.machines.front().threads_used = model.starts_with("Xeon") ? 1 : 2;
    records.push_back(loaded(record));
  }
  const auto table = part_of(tables::all().at("lab").make(records, {}), "lab");
  EXPECT_THAT(
      table.notes,
      Contains("cpu2 (simulated): its runs used different hardware: 2 on EPYC 7003, 1 on Xeon "
               "6230"));
  EXPECT_THAT(
      table.notes,
      Contains("cpu2 (simulated): its runs used different numbers of CPUs: 1 on 1, 2 on 2"));
}

TEST(LabTable, IsTheGoldenOneInEveryFormat) {
  const auto all = rounded(tables::all().at("lab").make(made_study(), {}));
  for (const auto& [name, format] : table::formats::all()) {
    auto tables = all;
    for (auto& table : tables) {
      if (format.for_readers) {
        table::remove_details(table);
      }
    }
    std::string text;
    for (const auto& table : tables) {
      text += format.one_table_a_file ? "# " + table.name + "\r\n" + format.write({table}) : "";
    }
    text = format.one_table_a_file ? text : format.write(tables);
    expect_golden(name == "html" ? without_assets(text) : text, "lab." + format.suffix);
  }
}

TEST(LabTable, ReportsWhereAnAllocationDidNotHaveItsCpus) {
  auto record = made_record({.allocation = "cpu16", .epochs = 5, .cpus = 16});
  const auto notes = [&] {
    return tables::all().at("lab").make({loaded(record)}, {}).front().notes;
  };
  EXPECT_THAT(notes(), testing::Not(Contains(HasSubstr("cpu16"))));
  record.machines.front().threads_used = 2;
  EXPECT_THAT(notes(), Contains("cpu16: computed on 2 of the 16 CPUs it requested"));
}

TEST(LabTable, TakesTheMedianOfRepeatsAndGivesTheirSpread) {
  const auto tables = lab_of({{.repeat = 0, .epoch_s = 10},
                              {.repeat = 1, .epoch_s = 12},
                              {.repeat = 2, .epoch_s = 11},
                              {.epochs = 4, .repeat = 0, .epoch_s = 10}});
  EXPECT_THAT(column_of(tables[0], "one_epoch_runs"), ElementsAre("3"));
  EXPECT_THAT(column_of(tables[0], "one_epoch_s"), ElementsAre("12.0"));
  EXPECT_THAT(column_of(tables[0], "one_epoch_spread_s"), ElementsAre("2.0"));
  EXPECT_THAT(column_of(tables[0], "predicted_s"), ElementsAre("48.0"));
  EXPECT_THAT(column_of(tables[0], "n_epochs_s"), ElementsAre("41.0"));
  EXPECT_THAT(column_of(tables[0], "n_epochs_spread_s"), ElementsAre(""));  // one run has no spread
  EXPECT_THAT(column_of(tables[0], "error_percent"), ElementsAre("+17.1"));
}

TEST(LabTable, HasARowForEachN) {
  const auto tables = lab_of({{.epochs = 1}, {.epochs = 5}, {.epochs = 20}});
  EXPECT_THAT(column_of(tables[0], "epochs"), ElementsAre("5", "20"));
  EXPECT_THAT(column_of(tables[0], "loss_g_after_N"), ElementsAre("5.000", "20.000"));
}

TEST(LabTable, ShowsWhatIsThereWhereOneOfTheTwoIsMissing) {
  const auto only_one = lab_of({{.epochs = 1}});
  EXPECT_THAT(column_of(only_one[0], "one_epoch_s"), ElementsAre("11.0"));
  EXPECT_THAT(column_of(only_one[0], "predicted_s"), ElementsAre(""));
  EXPECT_THAT(column_of(only_one[0], "n_epochs_runs"), ElementsAre("0"));
  EXPECT_THAT(column_of(only_one[0], "examples_per_s"), ElementsAre("90.9"));
  const auto only_many = lab_of({{.epochs = 5}});
  EXPECT_THAT(column_of(only_many[0], "one_epoch_s"), ElementsAre(""));
  EXPECT_THAT(column_of(only_many[0], "n_epochs_s"), ElementsAre("51.0"));
  EXPECT_THAT(column_of(only_many[0], "error_percent"), ElementsAre(""));
}

TEST(LabTable, GivesAnAttributeARowForEachOfItsValues) {
  const auto tables = lab_of({{.batch = 256}, {.batch = 64}}, {.by = {"batch"}});
  EXPECT_THAT(column_of(tables[0], "batch"), ElementsAre("64", "256"));
}

TEST(LabTable, ComparesCpuAllocationsWithTheSmallest) {
  const auto tables = lab_of({{.allocation = "cpu1", .epochs = 5, .epoch_s = 20, .cpus = 1},
                              {.allocation = "cpu2", .epochs = 5, .epoch_s = 12, .cpus = 2}});
  const auto& ratios = part_of(tables, "cpu_ratios");
  EXPECT_THAT(column_of(ratios, "fast"), ElementsAre("cpu2 (simulated)"));
  EXPECT_THAT(column_of(ratios, "slow"), ElementsAre("cpu1 (simulated)"));
  EXPECT_THAT(column_of(ratios, "cpu_ratio"), ElementsAre("2.00"));
  EXPECT_THAT(column_of(ratios, "observed_ratio"), ElementsAre("1.656"));  // 101 s : 61 s
  EXPECT_THAT(column_of(ratios, "error_percent"), ElementsAre("+20.8"));
}

TEST(LabTable, ComparesOnlyTheSameWorkAndNamesIt) {
  const auto tables = lab_of({{.allocation = "cpu1", .cpus = 1, .batch = 64},
                              {.allocation = "cpu1", .repeat = 1, .cpus = 1, .batch = 64},
                              {.allocation = "cpu1", .epoch_s = 20, .cpus = 1, .batch = 256},
                              {.allocation = "cpu2", .epoch_s = 10, .cpus = 2, .batch = 256},
                              {.allocation = "cpu2", .epoch_s = 7, .cpus = 2, .batch = 128}});
  EXPECT_THAT(column_of(tables[0], "chosen"), ElementsAre("batch=256", "batch=256"));
  EXPECT_THAT(column_of(part_of(tables, "cpu_ratios"), "observed_ratio"),
              ElementsAre("1.909"));  // 21 s : 11 s
  EXPECT_EQ(part_of(tables, "excluded").rows.size(), 3u);
}

TEST(LabTable, GivesNoRatioWhereTheWorkDiffersAndReportsIt) {
  const auto cpus = lab_of({{.allocation = "cpu1", .cpus = 1, .batch = 64},
                            {.allocation = "cpu2", .cpus = 2, .batch = 256}});
  EXPECT_THAT(column_of(cpus[0], "chosen"), ElementsAre("batch=64", "batch=256"));
  const auto& ratios = part_of(cpus, "cpu_ratios");
  EXPECT_THAT(ratios.rows, IsEmpty());
  EXPECT_THAT(ratios.notes, Contains("cpu2 (simulated), cpu1 (simulated): no ratio: different "
                                     "parameters: batch=256, not 64 (separate them with "
                                     "--by or --filter)"));
  const auto gpus = lab_of({{.allocation = "a", .gpu = "Tesla T4", .batch = 64},
                            {.allocation = "b", .gpu = "NVIDIA L4", .batch = 256}});
  EXPECT_THAT(part_of(gpus, "gpu_ratios").rows, IsEmpty());
  EXPECT_THAT(part_of(gpus, "gpu_ratios").notes, Contains(HasSubstr("no ratio: different")));
}

TEST(LabTable, CountsOnlyCpusOfOneModel) {
  std::vector<LoadedRecord> records;
  for (const auto& [cpus, model] :
       {std::pair(1, "old"), std::pair(2, "old"), std::pair(4, "new"), std::pair(8, "new")}) {
    auto record = made_record({.allocation = "cpu" + std::to_string(cpus), .cpus = cpus});
    record.machines.front().cpu_model = model;
    records.push_back(loaded(record));
  }
  const auto tables = tables::all().at("lab").make(records, {});
  const auto& ratios = part_of(tables, "cpu_ratios");
  EXPECT_THAT(column_of(ratios, "slow"), ElementsAre("cpu1 (simulated)", "cpu4 (simulated)"));
  EXPECT_THAT(ratios.notes,
              ElementsAre("cpu4 (simulated): no ratio: cpu1 (simulated) has other CPUs "
                          "than these (new)"));
}

TEST(LabTable, TakesNoGpuRatioFromRunsOnTheCpu) {
  const auto tables = lab_of(
      {{.allocation = "t4", .claimed_gpu = "t4"}, {.allocation = "v100", .claimed_gpu = "v100"}});
  EXPECT_THAT(column_of(tables[0], "device"),
              ElementsAre("cpu (t4 claimed)", "cpu (v100 claimed)"));
  const auto& ratios = part_of(tables, "gpu_ratios");
  EXPECT_THAT(ratios.rows, IsEmpty());
  EXPECT_THAT(ratios.notes,
              Contains("t4 ran on cpu (t4 claimed): excluded from the ratios of GPUs"));
}

TEST(LabTable, ShowsEachPairOfGpusInTheOrderOfTheirPeaks) {
  const auto tables = lab_of({{.allocation = "a", .gpu = "Tesla T4"},
                              {.allocation = "b", .gpu = "NVIDIA L4"},
                              {.allocation = "c", .gpu = "Tesla V100-SXM2-16GB"}});
  const auto& ratios = part_of(tables, "gpu_ratios");
  EXPECT_THAT(column_of(ratios, "fast"),
              ElementsAre("b (simulated)", "b (simulated)", "c (simulated)"));
  EXPECT_THAT(column_of(ratios, "slow"),
              ElementsAre("c (simulated)", "a (simulated)", "a (simulated)"));
  EXPECT_THAT(column_of(ratios, "flops_ratio"), ElementsAre("1.93", "3.74", "1.94"));
}

TEST(LabTable, ReportsWhatItAssumedOfAGpuItDoesNotKnowForSure) {
  const auto tables = lab_of({{.allocation = "t4", .gpu = "Tesla T4"},
                              {.allocation = "x", .gpu = "Tesla V100"},
                              {.allocation = "y", .gpu = "GeForce 256"}});
  const auto& ratios = part_of(tables, "gpu_ratios");
  EXPECT_THAT(ratios.notes,
              Contains(HasSubstr("may be v100_pcie, v100_sxm2, v100s_pcie; taken as v100_sxm2")));
  EXPECT_THAT(
      ratios.notes,
      Contains("x : t4 would be 2.02 : 1 from FLOPS were x NVIDIA V100S PCIe (16.4 TFLOPS fp32)"));
  EXPECT_THAT(ratios.notes, Contains("y: the device database has no device 'GeForce 256'"));
  EXPECT_THAT(column_of(ratios, "flops_ratio"), ElementsAre("1.94", "", ""));
}

}  // namespace
}  // namespace epochcast::analysis
