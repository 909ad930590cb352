// What jobs used of what they had asked for. The records are simulated.
#include "src/forecast/efficiency/job_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/core/quantity.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/record/json_lines.hpp"
#include "tests/files.hpp"
#include "tests/five_jobs.hpp"

namespace epochcast::efficiency {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

JobUse use_of_made(const MadeJob& job) {
  return use_of(job_record(job));
}

TEST(JobUse, TellsHowMuchOfEachWasUsed) {
  const auto use = use_of_made(right);
  EXPECT_EQ(use.time_s.used, 600);
  EXPECT_EQ(use.time_s.asked, 3600);
  EXPECT_NEAR(use.cpus.used.value(), 3.8, 1e-9);
  EXPECT_EQ(use.cpus.asked, 4);
  EXPECT_EQ(use.memory_bytes.used, 6 * gibibyte);
  EXPECT_EQ(use.memory_bytes.asked, 8 * gibibyte);
  EXPECT_EQ(use.gpus.asked, 0);
  EXPECT_THAT(use.limited_by, HasSubstr("its CPUs"));
}

TEST(JobUse, AdvisesTheMostThatWasUsedWithAMarginForTimeAndMemory) {
  const auto use = use_of_made(many_cpus);
  EXPECT_EQ(use.cpus.next, 2) << "1.9 were busy";
  EXPECT_EQ(use.time_s.next, 720) << "10 minutes and a fifth";
  EXPECT_EQ(use.memory_bytes.next, 8 * gibibyte) << "7.2 GiB, in whole GiB";
  EXPECT_EQ(next_text(use), "time 12m, cpus 2, memory 8G");
}

TEST(JobUse, NeverAdvisesLessThanTheMostThatWasSeen) {
  for (int step = 1; step < 400; ++step) {
    const auto use = use_of_made({.name = "made",
                                  .seconds = 10 + step,
                                  .cpus_asked = 64,
                                  .cpus = 0.1 * step,
                                  .gib = 0.037 * step});
    EXPECT_GE(use.cpus.next.value(), use.task_cpus.value());
    EXPECT_GE(use.memory_bytes.next.value(), (1 + margin) * use.memory_bytes.used.value());
    EXPECT_GE(use.time_s.next.value(), (1 + margin) * use.time_s.used.value());
  }
}

TEST(JobUse, CountsTheBusiestSecondAndNotTheMean) {
  auto record = job_record(many_cpus);
  record.telemetry[100].own_cpu_s = 7.2;
  const auto use = use_of(record);
  EXPECT_NEAR(use.cpus.used.value(), 1.9, 0.02);
  EXPECT_EQ(use.cpus.next, 8);
}

TEST(JobUse, AnIdleGpuIsNotAskedForAgain) {
  const auto use = use_of_made(idle_gpu);
  EXPECT_EQ(use.gpus.used, 0);
  EXPECT_EQ(use.gpus.next, 0);
  EXPECT_THAT(use.limited_by, HasSubstr("nothing ran on the GPU"));
  EXPECT_NEAR(use.lost_gpu_hours().value(), 1.0 / 6, 1e-9);
  auto busy = idle_gpu;
  busy.gpu_use = 0.95;
  busy.cpus = 1;
  EXPECT_EQ(use_of_made(busy).gpus.next, 1);
  EXPECT_EQ(use_of_made(busy).limited_by, "the GPU");
}

TEST(JobUse, NamesDataLoadingAndTheGpuThatWaits) {
  auto job = idle_gpu;
  job.gpu_use = 0.3;
  job.data_wait = 0.6;
  EXPECT_EQ(use_of_made(job).limited_by, "data loading: 60 % of the time of the epochs");
  EXPECT_THAT(cpu_text(use_of_made(job)),
              testing::AllOf(HasSubstr("data loading took 60 %"),
                             HasSubstr("the GPU waited 70 % of the time"),
                             HasSubstr("more may help than 4")));
  job.data_wait = 0;
  EXPECT_THAT(use_of_made(job).limited_by, HasSubstr("its CPUs: nearly all were busy; the GPU"));
}

TEST(JobUse, AKillForMemoryAsksForHalfMoreThanItHad) {
  const auto use = use_of_made(killed);
  EXPECT_EQ(use.memory_bytes.next, 12 * gibibyte);
  EXPECT_THAT(use.limited_by, HasSubstr("memory"));
  EXPECT_FALSE(use.cpus.next.has_value()) << "it may have ended before it used all";
  EXPECT_FALSE(use.time_s.next.has_value());
  EXPECT_EQ(use.lost_cpu_hours(), use.cpu_hours()) << "all was in vain";
}

TEST(JobUse, LeavesOutWhatWasNotMeasuredWithTheReason) {
  auto record = job_record(idle_gpu);
  record.telemetry.clear();
  record.telemetry_gpus.clear();
  const auto use = use_of(record);
  EXPECT_FALSE(use.cpus.used || use.cpus.next || use.memory_bytes.used || use.gpus.next);
  EXPECT_THAT(use.cpus.unknown, HasSubstr("no samples of telemetry"));
  EXPECT_THAT(report_lines(use), Contains(HasSubstr("not known: CPUs: there are no samples")));
  EXPECT_THAT(next_text(use), "time 12m");
  EXPECT_THAT(use.limited_by, IsEmpty());
}

TEST(JobUse, SamplesOfALauncherAreNotThoseOfTheProgram) {
  auto record = job_record(right);
  record.parameters.push_back({"command", "srun python3 train.py", "text", "1"});
  EXPECT_FALSE(use_of(record).cpus.used.has_value());
  EXPECT_FALSE(use_of(record).memory_bytes.used.has_value());
  EXPECT_THAT(use_of(record).cpus.unknown, HasSubstr("launcher"));
}

TEST(JobUse, KnowsThatOneCpuWasAskedForWhereThatIsTheDefault) {
  auto record = job_record(right);
  record.allocation = {{"memory", "8G", "", ""}, {"cpus_allowed", "1", "2", ""}};
  EXPECT_EQ(use_of(record).cpus.asked, 1);
}

TEST(JobUse, AddsUpTheTasksOfANodeAndAdvisesForATask) {
  auto record = job_record(right);
  record.allocation[1] = {"tasks", "2", "2", ""};
  EXPECT_THAT(use_of(record).cpus.unknown, HasSubstr("1 of 2 tasks"));
  record.machines.push_back({.rank = 1, .host = "node1"});
  auto samples = record.telemetry;
  for (auto& sample : samples) {
    sample.rank = 1;
    sample.own_cpu_s = 0.5;
  }
  record.telemetry.insert(record.telemetry.end(), samples.begin(), samples.end());
  const auto use = use_of(record);
  EXPECT_NEAR(use.cpus.used.value(), 4.3, 1e-9);
  EXPECT_EQ(use.memory_bytes.used, 12 * gibibyte) << "both are on one node";
  record.machines.back().host = "node2";
  EXPECT_EQ(use_of(record).memory_bytes.used, 6 * gibibyte);
}

TEST(JobUse, OfOneThatStillRunsAdvisesNothing) {
  auto job = right;
  job.outcome = "running";
  EXPECT_EQ(next_text(use_of_made(job)), "");
}

TEST(JobReport, HasAtMostSixLines) {
  for (const auto& job : five_jobs) {
    const auto lines = report_lines(use_of_made(job));
    EXPECT_THAT(lines, SizeIs(testing::Le(6u))) << job.name;
    EXPECT_THAT(lines, SizeIs(testing::Ge(3u))) << job.name;
  }
  EXPECT_THAT(
      report_lines(use_of_made(idle_gpu)),
      ElementsAre("used 10m of 1h (17 %), 3.8 of 4 CPUs (95 %), 6.00 of 8.00 GiB (75 %)",
                  "CPUs: 3.8 of 4 busy (95 %), at most 3.8 at once; data loading took 2 % "
                  "of the time of the epochs; the GPU waited 100 % of the time; more may "
                  "help than 4",
                  "GPUs: 0.0 of 1 busy (0 %), 2.00 of 16.00 GiB of a GPU's memory (12 %)",
                  "limited by the program: nothing ran on the GPU",
                  "ask next time for time 12m, cpus 4, memory 8G, gpus 0 (the most that was "
                  "used; time and memory: 20 % more)"));
}

TEST(JobReport, HasNoneWhereNothingWasAskedFor) {
  auto record = job_record(right);
  record.allocation.clear();
  EXPECT_THAT(report_lines(use_of(record)), IsEmpty());
}

TEST(JobReport, IsTheSameFromTheLinesOfARecord) {
  const TemporaryFolder folder;
  auto record = job_record(idle_gpu);
  std::string lines;
  record::append_line(lines, "header", record.header);
  record::for_each_table([&](const auto& table) {
    for (const auto& row : record.*table.rows) {
      record::append_line(lines, table.name, row);
    }
  });
  set_bytes(folder / "job.jsonl", lines);
  ::testing::internal::CaptureStderr();
  { const ReportAtEnd report(folder / "job.h5"); }
  std::string expected;
  for (const auto& line : report_lines(use_of(record))) {
    expected += "epochcast: " + line + "\n";
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), expected);
}

TEST(JobReport, OfAMissingRecordSaysNothing) {
  ::testing::internal::CaptureStderr();
  { const ReportAtEnd report("/nowhere/job.h5"); }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
}

slurm::AccountedJob accounted() {
  slurm::AccountedJob job{.job = "7", .nodes = 1, .cpus = 16, .memory_mib = 65536};
  job.limit_s = 7200;
  job.elapsed_s = 3600;
  job.state = slurm::JobState::completed;
  return job;
}

TEST(JobUse, OfTheAccountingHasTheMeanOfCpusAndTheMostOfMemory) {
  auto job = accounted();
  job.total_cpu_s = 3600;
  job.peak_memory_mib = 3 * 1024;
  const auto use = use_of(job);
  EXPECT_EQ(use.cpus.used, 1);
  EXPECT_FALSE(use.cpus.next.has_value()) << "its busiest moment is not known";
  EXPECT_THAT(use.cpus.unknown, HasSubstr("not the most at once"));
  EXPECT_EQ(use.memory_bytes.next, 3.625 * gibibyte) << "3.6 GiB, in steps of 128 MiB";
  EXPECT_EQ(use.time_s.next, 4320);
  EXPECT_EQ(use.lost_cpu_hours(), 15);
}

TEST(JobUse, OfTheAccountingWithoutStepsSaysSo) {
  const auto use = use_of(accounted());
  EXPECT_FALSE(use.cpus.used || use.memory_bytes.used);
  EXPECT_THAT(use.memory_bytes.unknown, HasSubstr("MaxRSS"));
  EXPECT_THAT(use.limited_by, IsEmpty());
}

TEST(JobUse, OfTheAccountingKnowsAnIdleGpuAndNoMeanUse) {
  auto job = accounted();
  job.gpus = 2;
  EXPECT_THAT(use_of(job).gpus.unknown, HasSubstr("does not account"));
  job.gpu_peak_percent = 0;
  EXPECT_EQ(use_of(job).gpus.next, 0);
  job.gpu_peak_percent = 40;
  EXPECT_FALSE(use_of(job).gpus.used.has_value());
  EXPECT_THAT(use_of(job).gpus.unknown, HasSubstr("not the mean"));
}

TEST(JobUse, OfTheAccountingOnSeveralNodesAdvisesNoMemory) {
  auto job = accounted();
  job.nodes = 2;
  job.peak_memory_mib = 8 * 1024;
  EXPECT_EQ(use_of(job).memory_bytes.used, 4 * gibibyte);
  EXPECT_FALSE(use_of(job).memory_bytes.next.has_value());
}

}  // namespace
}  // namespace epochcast::efficiency
