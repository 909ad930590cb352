// Limits of pending jobs at a site that refuses to change them.
#include "jobs/plan/update_limits.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "src/forecast/ledger/ledger.hpp"
#include "tests/jobs/fake_slurm.hpp"

namespace epochcast::jobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UpdateLimits : public test::SubmitTest {
 protected:
  UpdateLimits() {
    folder_.write("bin/scontrol",
                  "#!/bin/bash\ncase $1 in\n"
                  "  show) printf 'JobId=%s JobName=x\\n   TimeLimit=01:00:00\\n' \"$4\" ;;\n"
                  "  *) echo 'Access/permission denied' >&2; exit 1 ;;\nesac\n",
                  true);
    std::ignore = submit_all();
    ledger::LedgerRow row;
    row.out = out_;
    row.point = points_[0];
    row.asked_s = 600;
    ledger::put_in_ledger(ledger::ledger_of(out_), {row});
  }
  /// Of a job that has its limit already.
  void ask_for_memory(const std::string& answer_of_update) {
    folder_.write("bin/scontrol",
                  "#!/bin/bash\ncase $1 in\n"
                  "  show) printf 'JobId=%s JobName=x\\n   TimeLimit=00:10:00\\n' \"$4\" ;;\n"
                  "  *) " +
                      answer_of_update + " ;;\nesac\n",
                  true);
    auto rows = ledger::read_ledger(ledger::ledger_of(out_));
    rows.front().allocation = "a";
    rows.front().memory_asked_bytes = 1073741824;
    ledger::put_in_ledger(ledger::ledger_of(out_), rows);
    EXPECT_THAT(update_pending_jobs(OutFolder(out_), tell_), IsEmpty());
  }
  std::string memory_of_script() const {
    return OutFolder(out_).claim(points_[0]).string() + ".memory";
  }
  void scancel(const std::string& script) const {
    folder_.write("bin/scancel", "#!/bin/bash\n" + script, true);
  }

  test::WithVariable own_{"EPOCHCAST_LEDGER", ""};
  std::string output_;
  Tell tell_ = [this](const std::string& line) { output_ += line + "\n"; };
};

TEST_F(UpdateLimits, AJobThatCannotBeChangedIsReplacedAndCancelled) {
  scancel("echo \"$*\" >\"$FAKE/cancelled\"\n");
  EXPECT_THAT(update_pending_jobs(OutFolder(out_), tell_), IsEmpty());
  EXPECT_THAT(output_, HasSubstr("job 5 replaces job 1: the site refused to lower its limit: "
                                 "Access/permission denied"));
  EXPECT_EQ(read_file(folder_ / "fake/cancelled"), "1\n");
  EXPECT_THAT(read_file(folder_ / "fake/calls"), HasSubstr("--time=0-00:10:00"));
}

TEST_F(UpdateLimits, GivesTheShorterLimitThatSuffices) {
  folder_.write("bin/scontrol",
                "#!/bin/bash\ncase $1 in\n"
                "  show) printf 'JobId=%s JobName=x\\n   TimeLimit=01:00:00\\n' \"$4\" ;;\n"
                "  *) echo \"$*\" >\"$FAKE/updates\" ;;\nesac\n",
                true);
  const auto profile = OutFolder(out_).cluster().string();
  auto text = read_file(profile);
  const std::string memory = "memory: 1G,";
  ASSERT_NE(text.find(memory), std::string::npos) << text;
  write_file(profile, text.insert(text.find(memory) + memory.size(), " time_min: forecast,"));
  auto rows = ledger::read_ledger(ledger::ledger_of(out_));
  rows.front().allocation = "a";
  rows.front().low_95_s = 200;
  rows.front().high_95_s = rows.front().needed_s = 600;
  ledger::put_in_ledger(ledger::ledger_of(out_), rows);
  EXPECT_THAT(update_pending_jobs(OutFolder(out_), tell_), IsEmpty());
  EXPECT_EQ(read_file(folder_ / "fake/updates"),
            "update JobId=1 TimeLimit=0-00:10:00 TimeMin=0-00:04:00\n");
}

TEST_F(UpdateLimits, AFailedCancellationIsAProblem) {
  scancel("echo 'scancel: error: Socket timed out' >&2\nexit 1\n");
  EXPECT_THAT(update_pending_jobs(OutFolder(out_), tell_),
              ElementsAre(points_[0] + ": job 1 was not cancelled: scancel: error: Socket timed "
                                       "out; run 'scancel 1'"));
}

TEST_F(UpdateLimits, LowersTheMemoryOfAJobThatWaitsAndTellsItsScript) {
  ask_for_memory("echo \"$*\" >\"$FAKE/updates\"");
  EXPECT_EQ(read_file(folder_ / "fake/updates"), "update JobId=1 MinMemoryNode=1024\n");
  EXPECT_EQ(read_file(memory_of_script()), "1G\n");
}

TEST_F(UpdateLimits, AJobWhoseMemoryCannotBeChangedKeepsIt) {
  ask_for_memory("echo 'Access/permission denied' >&2; exit 1");
  EXPECT_THAT(output_, HasSubstr("job 1 keeps its memory: Access/permission denied"));
  EXPECT_FALSE(is_there(memory_of_script()));
  EXPECT_TRUE(std::isnan(ledger::read_ledger(ledger::ledger_of(out_)).front().memory_asked_bytes));
}

}  // namespace
}  // namespace epochcast::jobs
