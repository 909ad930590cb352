#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/import/importer.hpp"
#include "analysis/records/record_metrics.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t lab_batches = 3;  // two of 256 samples and one of 100
constexpr double lab_samples = 612;

/// The lab's stdout, character by character as its program prints it. Epoch e takes 10 + e seconds.
std::string lab_text(std::int64_t epochs, const std::string& device = "cpu") {
  auto text = fmt::format("Device: {}\nnet_G(x).shape: torch.Size([1, 3, 64, 64])\n", device);
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    text += fmt::format("Epoch: {}\n", epoch);
    for (std::int64_t batch = 0; batch < lab_batches; ++batch) {
      const double seconds =
          (10.0 + static_cast<double>(epoch)) * static_cast<double>(batch + 1) / lab_batches;
      const double examples =
          batch + 1 == lab_batches ? lab_samples : 256.0 * static_cast<double>(batch + 1);
      text += fmt::format("Processing batch: {}-{}\n", epoch, batch);
      text += fmt::format(
          "loss_D {:.3f}, loss_G {:.3f}, {:.1f} examples/sec on {} ({:.1f} examples in {:.1f} "
          "seconds during this epoch)\n",
          0.7 / static_cast<double>(epoch), 1.0 + 0.1 * static_cast<double>(batch),
          examples / seconds, device, examples, seconds);
    }
    text += "<Figure size 500x500 with 2 Axes>\n";
  }
  const double total_s = 12.5 * static_cast<double>(epochs);
  text += fmt::format("loss_D 0.123, loss_G 1.200, {:.1f} sec/epoch on {}\n",
                      total_s / static_cast<double>(epochs), device);
  text += fmt::format("Num epochs: {}\nTotal training time: {:.1f} seconds\n", epochs, total_s);
  return text +
         "Started at: Sun, 12 Mar 2023 01:59:50 local\nEnded at: Sun, 12 Mar 2023 03:01:05 local\n";
}

Imported import_text(const std::string& text, const ImportOptions& options = {"t4", ""}) {
  static const TemporaryFolder folder;
  std::filesystem::remove(folder / "job.log");  // ext4 waits for the disk where a file is truncated
  set_bytes(folder / "job.log", text);
  auto imported = importers::all().at("lab_log").read(folder / "job.log", options);
  for (auto& remark : imported.remarks) {
    remark.erase(0, folder.path().size() + 1);
  }
  return imported;
}

TEST(LabLog, AWholeLogBecomesACompleteRecord) {
  const auto imported = import_text(lab_text(12));
  EXPECT_THAT(imported.remarks, IsEmpty());
  ASSERT_THAT(imported.records, SizeIs(1));
  const auto& record = imported.records[0];
  EXPECT_EQ(record.header.source.view(), "imported:lab_log");
  EXPECT_EQ(record.header.outcome.view(), "complete");
  EXPECT_EQ(record.header.allocation.view(), "t4");
  EXPECT_EQ(record.header.point.view(), "lab.t4.e12");
  EXPECT_EQ(record::epochs_of(record), 12);
  EXPECT_DOUBLE_EQ(total_training_s(record).value(), 150);
  ASSERT_THAT(record.epochs, SizeIs(12));
  EXPECT_DOUBLE_EQ(record.epochs[11].wall_s, 22);
  EXPECT_EQ(record.epochs[11].samples, 612);
  EXPECT_EQ(record.epochs[11].iterations, lab_batches);
  EXPECT_THAT(record.iterations, SizeIs(12 * lab_batches));
  EXPECT_EQ(record.iterations[2].samples, 100);
  EXPECT_NEAR(record.iterations[1].step_s, 3.6, 0.11);
  EXPECT_DOUBLE_EQ(last_metric(record, "loss_d").value(), 0.058);
  EXPECT_DOUBLE_EQ(last_metric(record, "loss_g").value(), 1.2);
  EXPECT_DOUBLE_EQ(last_examples_per_s(record).value(), 27.8);
}

TEST(LabLog, OfAJobScriptThatRanTheProgramIsRead) {
  const auto imported = import_text(
      "epochcast: lab_script.cpu2.e2.r0-k9vjsmbhf2, job 17 on t4-01, 2026-11-24T08:55:03+0000\n" +
      lab_text(2));
  EXPECT_THAT(imported.remarks, IsEmpty());
  ASSERT_THAT(imported.records, SizeIs(1));
  EXPECT_THAT(imported.records[0].epochs, SizeIs(2));
}

TEST(LabLog, TakesDurationsFromTheLogsSecondsNotFromItsStamps) {
  const auto record = import_text(lab_text(6)).records.at(0);  // 75 s, the stamps 3675 s apart
  EXPECT_DOUBLE_EQ(total_training_s(record).value(), 75);
  EXPECT_THAT(record.header.note.str(),
              HasSubstr("3675 s apart although the run took 75.0 s (daylight time?)"));
}

TEST(LabLog, TakesTheGpuFromTheOptionsOnlyWhereTheLogNamesCuda) {
  EXPECT_EQ(import_text(lab_text(1, "cuda:0"), {"a", "Tesla T4"})
                .records.at(0)
                .machines.at(0)
                .gpu_name.view(),
            "Tesla T4");
  EXPECT_EQ(import_text(lab_text(1, "cpu"), {"a", "Tesla T4"})
                .records.at(0)
                .machines.at(0)
                .gpu_name.view(),
            "");
  EXPECT_EQ(device_of(import_text(lab_text(1, "cuda:0")).records.at(0)), "cuda");
}

TEST(LabLog, TakesTheDeviceFromProgressLinesIfTheLogHasNoDeviceLine) {
  auto text = lab_text(1, "cuda:0");
  text.erase(0, text.find('\n') + 1);
  const auto record = import_text(text, {"a", "Tesla V100"}).records.at(0);
  EXPECT_EQ(record.machines.at(0).gpu_name.view(), "Tesla V100");
  EXPECT_EQ(device_of(record), "Tesla V100");
}

TEST(LabLog, IsNamedAfterItsFileWhereNoAllocationIsGiven) {
  const auto record = import_text(lab_text(1), {}).records.at(0);
  EXPECT_EQ(record.header.allocation.view(), "job");
}

/// How many lines that end a batch are whole in the first `length` bytes.
std::size_t whole_batches(const std::string& text, std::size_t length) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(" seconds during this epoch)", at)) != std::string::npos;
       ++at) {
    count += at + std::string(" seconds during this epoch)").size() <= length ? 1 : 0;
  }
  return count;
}

TEST(LabLog, CutAtAnyByteGivesAllThatIsThere) {
  const auto text = lab_text(12);
  const auto total_stands_at = text.find(" seconds\nStarted") + std::string(" seconds").size();
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto imported = import_text(text.substr(0, length));
    ASSERT_LE(imported.remarks.size(), 1u) << length;  // the line that was cut
    if (imported.records.empty()) {
      ASSERT_LT(length, std::string("Device: cpu\n").size()) << length;
      continue;
    }
    ASSERT_THAT(imported.records, SizeIs(1)) << length;
    const auto& record = imported.records[0];
    ASSERT_EQ(record.iterations.size(), whole_batches(text, length)) << length;
    const bool complete = length >= total_stands_at;
    ASSERT_EQ(record.header.outcome.view(), complete ? "complete" : "lost") << length;
    ASSERT_TRUE(!complete || total_training_s(record) == 150) << length;
    // "Num epochs: 1" of "Num epochs: 12" must not pass for the number.
    ASSERT_TRUE(record::epochs_of(record) == 0 || record::epochs_of(record) == 12) << length;
    for (const auto& epoch : record.epochs) {
      ASSERT_EQ(epoch.samples, 612) << length;  // an epoch that was cut is not one
    }
  }
}

TEST(LabLog, ReportsWhereALogBreaksOff) {
  const auto text = lab_text(3);
  const auto record = import_text(text.substr(0, text.find("Processing batch: 2-2"))).records.at(0);
  EXPECT_EQ(record.header.outcome_text.view(), "the log ends in epoch 2 after 2 batches");
  EXPECT_THAT(record.epochs, SizeIs(1));
  EXPECT_THAT(record.iterations, SizeIs(5));
}

TEST(LabLog, NamesBrokenLinesAndContinues) {
  auto text = lab_text(2);
  const auto second = text.find("Processing batch: 1-1");
  text.insert(second, "slurmstepd: error: something\nloss_D nonsense\n");
  const auto imported = import_text(text);
  EXPECT_THAT(imported.remarks,
              ElementsAre("job.log:6: not understood: 'slurmstepd: error: something'",
                          "job.log:7: not understood: 'loss_D nonsense'"));
  EXPECT_THAT(imported.records.at(0).iterations, SizeIs(2 * lab_batches));
  EXPECT_EQ(imported.records.at(0).header.outcome.view(), "complete");
}

TEST(LabLog, ALineThatIsMissingMakesTheNextOneLonger) {
  auto text = lab_text(1);
  const auto first = text.find("loss_D");
  text.erase(first, text.find('\n', first) + 1 - first);
  const auto record = import_text(text).records.at(0);
  ASSERT_THAT(record.iterations, SizeIs(2));
  EXPECT_EQ(record.iterations[0].samples, 512);
  EXPECT_EQ(record.epochs.at(0).samples, 612);
}

TEST(LabLog, AnEpochOrABatchWhoseOwnLineIsMissingIsReadByTheOthers) {
  auto text = lab_text(3);
  for (const std::string line : {"Epoch: 2\n", "Processing batch: 3-1\n"}) {
    text.erase(text.find(line), line.size());
  }
  const auto record = import_text(text).records.at(0);
  ASSERT_THAT(record.epochs, SizeIs(3));
  for (const auto& epoch : record.epochs) {
    EXPECT_NEAR(epoch.wall_s, 11 + static_cast<double>(epoch.epoch), 1e-9);
    EXPECT_EQ(epoch.samples, 612);
    EXPECT_EQ(epoch.iterations, lab_batches);
  }
  EXPECT_THAT(record.iterations, SizeIs(3 * lab_batches));
}

TEST(LabLog, WhatStandsBeforeTheFirstKnownEpochIsNone) {
  const auto text = lab_text(3);
  const auto cut = text.find("loss_D", text.find("Processing batch: 1-1"));
  const auto record = import_text(text.substr(cut)).records.at(0);
  ASSERT_THAT(record.epochs, SizeIs(3));
  EXPECT_DOUBLE_EQ(record.epochs[0].wall_s, 11) << "counted from its start in each line";
  const auto later = import_text(text.substr(text.find("loss_D", text.find("batch: 1-2"))));
  ASSERT_THAT(later.records.at(0).epochs, SizeIs(2));
  EXPECT_EQ(later.records[0].epochs[0].epoch, 1);
}

TEST(LabLog, HoldsAsManyRunsAsItStates) {
  const auto imported = import_text(lab_text(1) + lab_text(2));
  ASSERT_THAT(imported.records, SizeIs(2));
  EXPECT_EQ(record::epochs_of(imported.records[0]), 1);
  EXPECT_EQ(record::epochs_of(imported.records[1]), 2);
}

TEST(LabLog, AFileOfSomethingElseHoldsNoRun) {
  const auto imported =
      import_text(std::string("\x7f"
                              "ELF\0\1\2\n\xff\xfe\n",
                              11));
  EXPECT_THAT(imported.records, IsEmpty());
  EXPECT_THAT(imported.remarks, SizeIs(2));
}

TEST(LabLog, AFileThatIsNotThereIsRefused) {
  EXPECT_EQ(error_of([] { importers::all().at("lab_log").read("/nowhere/job.log", {}); }),
            "/nowhere/job.log: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace epochcast::analysis
