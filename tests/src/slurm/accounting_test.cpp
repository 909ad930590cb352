// The accounting as sacct prints it: recorded/ is the output of Slurm 22.05.8 for jobs on the test
// cluster that slept for known times; the other texts follow the manuals of 20.11 to 25.05.
#include "src/slurm/accounting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "src/slurm/accounting_cells.hpp"
#include "tests/files.hpp"
#include "tests/fuzz.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::slurm {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string recorded_text(const std::string& name) {
  return bytes_of(std::string(EPOCHCAST_SOURCE_DIR) + "/tests/src/slurm/recorded/" + name);
}

Accounting recorded(const std::string& name) {
  return read_accounting(recorded_text(name), name);
}

Accounting read(const std::string& text) {
  return read_accounting(text, "jobs.txt");
}

/// The job of that name that was not requeued, or the last of its lives.
AccountedJob job_of(const Accounting& accounting, const std::string& name) {
  AccountedJob found;
  for (const auto& job : accounting.jobs) {
    found = job.job_name == name ? job : found;
  }
  EXPECT_FALSE(found.job.empty()) << name;
  return found;
}

/// The forms of SLURM_TIME_FORMAT that a site may choose.
TEST(Accounting, RefusesDatesOfWhichTheOrderIsNotKnown) {
  const std::string head = "JobID|State|Elapsed|Submit|Start|End\n";
  const std::string known = "1|COMPLETED|00:01:00|2026-03-28 11:00|1774695600|Unknown\n";
  const std::string other = "2|COMPLETED|00:01:00|28 Mar 11:00|28 Mar 11:20|28 Mar 12:20\n";
  EXPECT_THAT(read(head + known).problems, IsEmpty());
  const auto some = read(head + known + other + other);
  EXPECT_THAT(some.jobs, SizeIs(1));
  EXPECT_THAT(some.problems,
              ElementsAre(AllOf(
                  HasSubstr("jobs.txt:3: Submit: found '28 Mar 11:00', expected a date such as"),
                  HasSubstr("2 jobs left out"), HasSubstr("SLURM_TIME_FORMAT=standard"))));
  EXPECT_THAT(read(head + other).jobs, IsEmpty());
}

/// Python programs that held memory: 200 to 350 MiB, and in four steps 500, 2 x 300, and 450 beside
/// 400; about 10 MiB are Python's own.
TEST(Accounting, HasTheCpuTimeAndTheMostMemoryOfRealJobs) {
  const auto accounting = recorded("sacct_use.txt");
  EXPECT_THAT(accounting.problems, IsEmpty());
  EXPECT_NEAR(job_of(accounting, "idle_gpu").peak_memory_mib, 210, 3);
  EXPECT_NEAR(job_of(accounting, "right").total_cpu_s, 14.182, 1e-9);
  EXPECT_NEAR(job_of(accounting, "steps").peak_memory_mib, 450 + 400 + 2 * 10 + 20, 10)
      << "two steps at the same time, and the script";
  EXPECT_EQ(job_of(accounting, "cut_off").total_cpu_s, 1) << "TotalCPU says 0.001";
  EXPECT_TRUE(std::isnan(job_of(accounting, "idle_gpu").gpu_peak_percent));
}

std::string step_text(const std::string& steps) {
  return "JobID|State|Elapsed|Start|End|NTasks|MaxRSS|TRESUsageInTot|TRESUsageInMax\n"
         "1|COMPLETED|00:01:00|2026-11-21T10:00:00|2026-11-21T10:01:00||||\n" +
         steps;
}

TEST(Accounting, OfMemoryTakesTheTasksOfAStepTogether) {
  const auto peak_mib = [](const std::string& steps) {
    return read(step_text(steps)).jobs.at(0).peak_memory_mib;
  };
  const std::string when = "2026-11-21T10:00:00|2026-11-21T10:01:00";
  EXPECT_EQ(peak_mib("1.batch|COMPLETED|00:01:00|" + when + "|4|10M||\n"), 40);
  EXPECT_EQ(peak_mib("1.batch|COMPLETED|00:01:00|" + when + "|4|10M|cpu=00:00:01,mem=25M|\n"), 25);
  EXPECT_TRUE(std::isnan(peak_mib("1.batch|COMPLETED|00:01:00|" + when + "||10M||\n")))
      << "of how many tasks?";
  EXPECT_TRUE(std::isnan(peak_mib("1.batch|COMPLETED|00:01:00|" + when + "|1|0||\n")))
      << "not sampled";
  EXPECT_EQ(peak_mib("1.batch|COMPLETED|00:01:00|" + when +
                     "|1|10M||\n1.extern|COMPLETED|00:01:00|" + when + "|1|||\n"),
            10)
      << "the step of the node is rarely sampled";
  EXPECT_TRUE(std::isnan(peak_mib("")));
}

TEST(Accounting, HasTheUseOfGpusWhereTheSiteGathersIt) {
  const auto job =
      read(step_text("1.0|COMPLETED|00:01:00|||1|||gres/gpumem=310M,gres/gpuutil=87,mem=4M\n"))
          .jobs.at(0);
  EXPECT_EQ(job.gpu_peak_percent, 87);
  EXPECT_EQ(job.gpu_memory_mib, 310);
}

void expect_known_jobs(const Accounting& accounting) {
  EXPECT_THAT(accounting.problems, IsEmpty());
  std::vector<double> train_s;
  for (const auto& job : accounting.jobs) {
    if (job.job_name == "train") {
      train_s.push_back(job.elapsed_s);
      EXPECT_EQ(job.cpus, 2);
      EXPECT_EQ(job.gpus, 1);
      EXPECT_EQ(job.gpu, "t4");
      EXPECT_EQ(job.nodes, 1);
    }
  }
  // sleep 3, 4, 5, 2 seconds, three times, and 3; Slurm 22.05 counts up to one second more.
  ASSERT_THAT(train_s, SizeIs(13));
  for (std::size_t i = 0; i < train_s.size(); ++i) {
    const auto slept_s = static_cast<double>(i == 12 ? 3 : (i + 1) % 4 + 2);
    EXPECT_GE(train_s[i], slept_s);
    EXPECT_LE(train_s[i], slept_s + 1);
  }
  EXPECT_EQ(job_of(accounting, "limit").state, JobState::timeout);
  EXPECT_EQ(job_of(accounting, "limit").limit_s, 60);
  EXPECT_EQ(job_of(accounting, "limit").elapsed_s, 85) << "Slurm looks every 30 s";
  EXPECT_EQ(job_of(accounting, "cancelled").state, JobState::cancelled);
  EXPECT_EQ(job_of(accounting, "cancelled").cause, "by 61001");
  EXPECT_EQ(job_of(accounting, "bad").state, JobState::failed);
  EXPECT_EQ(job_of(accounting, "requeued").elapsed_s, 20);
  EXPECT_EQ(job_of(accounting, "a|b |c").elapsed_s, 1) << "a name with the separator";
  EXPECT_EQ(job_of(accounting, "sub-minute|pipe").limit_s, 60);
  EXPECT_EQ(job_of(accounting, "two\\nlines").elapsed_s, 1) << "a name with a line break";
}

TEST(Accounting, OfARealSlurmWithDuplicates) {
  const auto accounting = recorded("sacct_duplicates.txt");
  expect_known_jobs(accounting);
  EXPECT_THAT(accounting.jobs, SizeIs(29));
  EXPECT_EQ(job_of(accounting, "train").script, "train.sh 3");
  EXPECT_EQ(job_of(accounting, "train").work_dir, "/home/alice/runs");
  EXPECT_EQ(job_of(accounting, "wrapped").script, "sleep 1\\necho a | cat");
  EXPECT_EQ(job_of(accounting, "a|b |c").script, "train.sh 1");
  EXPECT_EQ(job_of(accounting, "bad").cause, "exit code 4:0");
  EXPECT_EQ(job_of(accounting, "array").job, "14_3");
  EXPECT_EQ(job_of(accounting, "het").cpus, 6) << "two components";
  EXPECT_EQ(job_of(accounting, "het").gpus, 1);
  EXPECT_EQ(job_of(accounting, "het").nodes, 2);
  EXPECT_EQ(job_of(accounting, "requeued").restarts, 1);
}

TEST(Accounting, OfARealSlurmWithASeparatorAtTheEndOfLines) {
  const auto accounting = recorded("sacct_parsable.txt");
  expect_known_jobs(accounting);
  EXPECT_THAT(accounting.jobs, SizeIs(28)) << "only the last life of the requeued job";
}

TEST(Accounting, OfARealSlurmWithAnotherSeparatorAndRawNumbers) {
  const auto accounting = recorded("sacct_delimiter.txt");
  expect_known_jobs(accounting);
  EXPECT_EQ(job_of(accounting, "wrapped").script, "sleep 1\\necho a | cat");
}

TEST(Accounting, TakesColumnsByNameInAnyOrder) {
  const auto jobs = read(
                        "State|Elapsed|Comment|JobIDRaw|Timelimit\n"
                        "COMPLETED|1-02:03:04|x|7|UNLIMITED\nTIMEOUT|00:10:05||8|Partition_Limit\n")
                        .jobs;
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].job, "7");
  EXPECT_EQ(jobs[0].elapsed_s, 93784);
  EXPECT_EQ(jobs[0].limit_s, 0) << "no limit";
  EXPECT_TRUE(std::isnan(jobs[1].limit_s)) << "not known";
}

/// 20.11: no SubmitLine, Reserved in place of Planned, AllocGRES besides AllocTRES.
TEST(Accounting, OfSlurm2011AfterItsManual) {
  const auto accounting = read(
      "JobID|JobName|Reserved|AllocGRES|NNodes|NCPUS|ReqMem|Elapsed|Timelimit|State\n"
      "100|run|00:00:02|gpu:1|2|16|4Gn|00:00:10|01:00:00|COMPLETED\n"
      "100.extern|extern|||2|16|4Gn|00:00:10||COMPLETED\n"
      "100.0|train|||2|16|4Gn|00:00:09||COMPLETED\n");
  ASSERT_THAT(accounting.jobs, SizeIs(1)) << "steps are part of their job";
  EXPECT_EQ(accounting.jobs[0].nodes, 2);
  EXPECT_EQ(accounting.jobs[0].cpus, 16);
}

/// 23.02 and newer: Restarts; 24.11: StdOut and others; without -D only the last life is there.
TEST(Accounting, OfSlurm2505AfterItsManual) {
  const auto accounting = read(
      "JobID|JobName|State|ElapsedRaw|TimelimitRaw|Restarts|StdOut|AllocTRES\n"
      "5|a|COMPLETED|100|60|2|/home/a/out|billing=1,cpu=8,gres/gpu:a100=2,mem=1T,node=1\n"
      "6|b|OUT_OF_MEMORY|10|UNLIMITED|0|/home/a|b/out|cpu=1,node=1\n"
      "7|c|RUNNING|10|60|0|/home/a/out|cpu=1,node=1\n"
      "8_[3-9%2]|d|PENDING|0|60|0||\n");
  EXPECT_THAT(accounting.problems, IsEmpty());
  ASSERT_THAT(accounting.jobs, SizeIs(2));
  EXPECT_EQ(accounting.jobs[0].restarts, 2);
  EXPECT_EQ(accounting.jobs[0].gpus, 2) << "without the total of gres/gpu";
  EXPECT_EQ(accounting.jobs[1].state, JobState::out_of_memory);
  EXPECT_EQ(accounting.not_ended, 2u);
}

TEST(Accounting, TheStepThatRanOutOfMemoryIsTheCause) {
  const auto jobs =
      read("JobID|State|Elapsed\n3|FAILED|00:00:10\n3.0|OUT_OF_MEMORY|00:00:09\n").jobs;
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].state, JobState::out_of_memory);
}

TEST(Accounting, AddsUpTheComponentsOfAHeterogeneousJob) {
  const auto jobs =
      read(
          "JobID|JobName|Partition|AllocTRES|State|Elapsed|Timelimit\n"
          "9+0|mix|a|cpu=2,mem=3G,node=1|COMPLETED|00:20:00|01:00:00\n"
          "9+1|mix|b|cpu=8,gres/gpu:t4=2,mem=512M,node=2|COMPLETED|00:20:01|01:00:00\n"
          "9+2|mix|b|cpu=8,gres/gpu:t4=1,mem=10G,node=1|COMPLETED|00:19:59|01:00:00\n")
          .jobs;
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].memory_mib, 3 * 1024 + 512 + 10 * 1024);
  EXPECT_EQ(jobs[0].cpus, 18);
  EXPECT_EQ(jobs[0].gpus, 3);
  EXPECT_EQ(jobs[0].nodes, 4);
}

TEST(Accounting, OfTheHeterogeneousJobsOfStrangersHasAllTheirMemory) {
  EPOCHCAST_NEEDS_SHARED_DATA("../cases/het_memory.txt");
  const auto memory_of = [](const char* name) {
    return read(bytes_of(shared_data(name))).jobs.at(0).memory_mib;
  };
  EXPECT_EQ(memory_of("../cases/het_memory.txt"), 16384);
  EXPECT_EQ(memory_of("../cases/het_memory_three.txt"), 62464);
}

TEST(Accounting, NumbersTheLivesOfARequeuedJobInTheOrderOfTheirStarts) {
  const auto jobs = read(
                        "JobID|State|Elapsed|Start\n"
                        "3|COMPLETED|00:00:30|2026-01-01T03:00:00\n"
                        "3|NODE_FAIL|00:00:10|2026-01-01T01:00:00\n"
                        "3|PREEMPTED|00:00:20|2026-01-01T02:00:00\n"
                        "4|COMPLETED|00:00:20|2025-01-01T02:00:00\n"
                        "4|COMPLETED|00:00:25|2026-01-01T02:00:00\n")
                        .jobs;
  ASSERT_THAT(jobs, SizeIs(5));
  EXPECT_EQ(jobs[0].restarts, 2);
  EXPECT_EQ(jobs[1].restarts, 0);
  EXPECT_EQ(jobs[2].restarts, 1);
  EXPECT_EQ(jobs[4].restarts, 0) << "the numbers began again";
}

TEST(Accounting, KeepsBytesThatAreNotUtf8Visible) {
  const auto jobs = read("JobID|JobName|State|Elapsed\n3|caf\xe9|COMPLETED|00:00:10\r\n").jobs;
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].job_name, "caf\\xe9");
}

TEST(Accounting, NamesLinesThatItCannotRead) {
  const auto accounting = read(
      "JobID|JobName|State|Elapsed\n"
      "1|a|COMPLETED|soon\n"
      "2|a|DANCING|00:00:10\n"
      "x|a|COMPLETED|00:00:10\n"
      "4|a\n"
      "5|a|COMPLETED|00:00:10\n");
  EXPECT_THAT(accounting.jobs, SizeIs(1));
  EXPECT_THAT(accounting.problems,
              ElementsAre(HasSubstr("jobs.txt:2: Elapsed: found 'soon', expected a time"),
                          HasSubstr("jobs.txt:3: State: found 'DANCING'"),
                          HasSubstr("jobs.txt:4: JobID: found 'x', expected a job such as 123"),
                          HasSubstr("jobs.txt:5: found fewer cells than columns")));
}

/// Both columns may contain the separator, so nothing tells where the name ends.
TEST(Accounting, AJobThatItCannotReadHasNoComponentsAndNoSteps) {
  const auto accounting = read(
      "JobID|State|Elapsed\n"
      "7+0|COMPLETED|never\n"
      "7+1|COMPLETED|00:01:00\n"
      "8|FAILED|never\n"
      "8.batch|OUT_OF_MEMORY|00:01:00\n");
  EXPECT_THAT(accounting.problems, ElementsAre(HasSubstr("jobs.txt:2"), HasSubstr("jobs.txt:4")));
  ASSERT_THAT(accounting.jobs, SizeIs(1));
  EXPECT_EQ(accounting.jobs[0].elapsed_s, 60);
}

TEST(Accounting, DoesNotGuessWhichTextHasTheSeparator) {
  const auto accounting = read("JobID|JobName|Comment|State|Elapsed\n1|a|b|c|COMPLETED|00:00:10\n");
  EXPECT_THAT(accounting.jobs, IsEmpty());
  EXPECT_THAT(accounting.problems, ElementsAre(HasSubstr("ask sacct for another one")));
}

TEST(Accounting, RefusesATextWithoutAHeader) {
  EXPECT_THAT(error_of([] { read("1|a|COMPLETED|00:00:10\n"); }),
              AllOf(HasSubstr("jobs.txt:1: found no column JobID or JobIDRaw"),
                    HasSubstr("sacct -P -o JobID,")));
  EXPECT_THAT(error_of([] { read(""); }), HasSubstr("jobs.txt:1: found no column"));
  EXPECT_THAT(error_of([] { read("JobID|State\n"); }),
              HasSubstr("found no column Elapsed or ElapsedRaw"));
}

TEST(Accounting, OfManyShortLinesIsReadInOnePass) {
  std::string text = "JobID|State|Elapsed|SubmitLine\n";
  for (int i = 0; i < 100'000; ++i) {
    text += i % 2 == 0 ? "1|\n" : "more\n";
  }
  EXPECT_THAT(read(text).jobs, IsEmpty());
}

TEST(AccountingFuzz, AnyDamageGivesJobsAndNamedLines) {
  const auto whole = recorded_text("sacct_duplicates.txt");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < whole.size();) {
    const auto end = std::min(whole.find('\n', at), whole.size() - 1) + 1;
    lines.push_back(whole.substr(at, end - at));
    at = end;
  }
  tests::Damage damage(19, {"|", "\n", "JobID", "UNLIMITED", "Unknown", "1-00:00:00", "REQUEUED",
                            "cpu=", "[1-2]", "+1", ".batch", "\xff", "99999999999999999999"});
  tests::fuzz(tests::fuzz_inputs(2000), "jobs.txt:", [&] {
    std::string text = lines.front();
    for (int i = 0; i < 4; ++i) {
      text += lines[1 + damage.below(lines.size() - 1)];
    }
    for (const auto& job : read(damage.of(text)).jobs) {
      EXPECT_TRUE(job.elapsed_s >= 0 && job.elapsed_s <= 1e9) << job.elapsed_s;
      EXPECT_TRUE(std::isnan(job.limit_s) || job.limit_s >= 0) << job.limit_s;
      EXPECT_TRUE(parse_job_id(job.job)) << job.job;
    }
  });
}

}  // namespace
}  // namespace epochcast::slurm
