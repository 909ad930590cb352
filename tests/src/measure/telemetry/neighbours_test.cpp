// Which other program used the CPUs, from made files of /proc and from this machine's.
#include "src/measure/telemetry/neighbours.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/src/measure/telemetry/machine_files.hpp"

namespace epochcast::telemetry {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// What /proc/PID/stat tells of a process, in ticks of 10 ms.
struct MadeProcess {
  std::string program;
  int parent = 1;
  long ticks = 0;
  long children_ticks = 0;
  int threads = 1;
  int cpu = 0;
};

void write(const MachineFiles& files, const std::string& pid, const MadeProcess& process,
           const std::string& number = {}) {
  files.write("proc/" + pid + "/stat",
              (number.empty() ? pid : number) + " (" + process.program + ") R " +
                  std::to_string(process.parent) + " 1 1 0 -1 4194304 98 0 0 0 " +
                  std::to_string(process.ticks) + " 0 " + std::to_string(process.children_ticks) +
                  " 0 20 0 " + std::to_string(process.threads) +
                  " 0 92803 3133440 360 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 " +
                  std::to_string(process.cpu) + " 0 0\n");
}

/// Others used all of one CPU of two; this process is 100.
class NeighboursTest : public testing::Test {
 protected:
  NeighboursTest() {
    write(files_, "100", {.program = "train", .parent = 50});
    write(files_, "self", {.program = "train", .parent = 50}, "100");
    write(files_, "200", {.program = "apt-get", .ticks = 5000});
    write(files_, "300", {.program = "idle"});
  }
  std::optional<Neighbour> look(double now_s, double other_s = 1) {
    return neighbours_.sampled(now_s, other_s, true);
  }

  MachineFiles files_;
  Neighbours neighbours_{files_.root(), {0, 1}, 100};
};

TEST_F(NeighboursTest, NamesTheProgramThatUsedMostSinceTheLookBefore) {
  EXPECT_FALSE(look(1));
  write(files_, "200", {.program = "apt-get", .ticks = 5090});
  write(files_, "300", {.program = "idle", .ticks = 10});
  const auto found = look(2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->program, "apt-get");
  EXPECT_NEAR(found->share, 0.9, 1e-9);
}

TEST_F(NeighboursTest, LooksOnlyNowAndThenAndOnlyWhileOthersDisturb) {
  EXPECT_FALSE(neighbours_.sampled(1, 1, false));
  EXPECT_FALSE(look(2));
  write(files_, "200", {.program = "apt-get", .ticks = 5100});
  EXPECT_FALSE(look(2.5)) << "too soon";
  EXPECT_TRUE(look(3));
  write(files_, "200", {.program = "apt-get", .ticks = 5400});
  EXPECT_FALSE(look(4));
  EXPECT_FALSE(look(5));
  EXPECT_TRUE(look(6));
  EXPECT_FALSE(look(100)) << "the look before is too old to tell who it is now";
}

TEST_F(NeighboursTest, CountsNeitherTheRunNorItsChildrenNorItsOtherRanks) {
  const auto write_own = [&](long ticks) {
    write(files_, "100", {.program = "train", .parent = 50, .ticks = ticks});
    write(files_, "101", {.program = "worker", .parent = 100, .ticks = ticks});
    write(files_, "102", {.program = "train", .parent = 50, .ticks = ticks});
    write(files_, "103", {.program = "worker", .parent = 102, .ticks = ticks});
  };
  write_own(10);
  look(1);
  write_own(110);
  EXPECT_FALSE(look(2, 1));
}

TEST_F(NeighboursTest, CountsOnlyWhatMayRunOnTheCpusOfTheRun) {
  const auto write_others = [&](long ticks) {
    write(files_, "300", {.program = "far", .ticks = ticks, .cpu = 7});
    write(files_, "301", {.program = "wide", .ticks = ticks, .threads = 9, .cpu = 7});
    write(files_, "302", {.program = "near", .ticks = ticks / 2, .threads = 9, .cpu = 7});
    files_.write("proc/301/status", "Name:\twide\nCpus_allowed_list:\t2-7,12\n");
    files_.write("proc/302/status", "Name:\tnear\nCpus_allowed_list:\t1-7\n");
  };
  write_others(0);
  look(1);
  write_others(100);
  const auto found = look(2, 0.5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->program, "near");
}

TEST_F(NeighboursTest, NamesNobodyWhoUsedLittleOfIt) {
  look(1);
  write(files_, "200", {.program = "apt-get", .ticks = 5010});
  EXPECT_FALSE(look(2, 1)) << "0.1 s of 1 s; the rest is hidden";
}

TEST_F(NeighboursTest, ANameOfAnyBytesIsPrintable) {
  write(files_, "200", {.program = "a) \x1b[31m\n", .ticks = 0});
  look(1);
  write(files_, "200", {.program = "a) \x1b[31m\n", .ticks = 100});
  EXPECT_EQ(look(2)->program, "a) \\x1b[31m\\n");
}

TEST(UsedBetween, CountsChildrenThatEndedOnceAndOnlyWhatTheyUsedSince) {
  const std::map<int, ProcessTimes> before{{5, {.program = "make"}},
                                           {10, {.program = "g++", .parent = 5}},
                                           {11, {.program = "cc1plus", .parent = 10, .own_s = 3}}};
  const std::map<int, ProcessTimes> after{{5, {.program = "make", .children_s = 4}}};
  EXPECT_THAT(used_between(before, after), ElementsAre(Pair(5, DoubleNear(1, 1e-9))));
  EXPECT_THAT(used_between(after, after), IsEmpty());
}

TEST(ReadProcesses, FindsThisOne) {
  const auto processes = read_processes("/", 100);
  const auto found = processes.find(getpid());
  ASSERT_NE(found, processes.end());
  EXPECT_EQ(found->second.parent, getppid());
  EXPECT_GE(found->second.threads, 1);
  EXPECT_GE(found->second.last_cpu, 0);
}

}  // namespace
}  // namespace epochcast::telemetry
