// Limits of pending jobs at a site that refuses to change them.
#include "jobs/plan/update_limits.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "src/forecast/ledger/ledger.hpp"
#include "tests/jobs/campaign_test.hpp"

namespace epochcast::jobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UpdateLimits : public test::CampaignTest {
 protected:
  UpdateLimits() {
    scheduler_.refuses_change = "Access/permission denied";
    scheduler_.infos["1"].time_limit_s = 3600;
    std::ignore = submit_all();
    ledger::LedgerRow row;
    row.out = out_;
    row.point = points_[0];
    row.asked_s = 600;
    ledger::put_in_ledger(ledger::ledger_of(out_), {row});
  }
  /// Of a job that has its limit already.
  void ask_for_memory() {
    scheduler_.infos["1"].time_limit_s = 600;
    auto rows = ledger::read_ledger(ledger::ledger_of(out_));
    rows.front().allocation = "a";
    rows.front().memory_asked_bytes = 1073741824;
    ledger::put_in_ledger(ledger::ledger_of(out_), rows);
    EXPECT_THAT(update_pending_jobs(OutFolder(out_), tell_), IsEmpty());
  }
  /// The only change that was asked for.
  std::string changed() const {
    const auto text = [](const auto& time) { return time ? to_text(*time) : "none"; };
    EXPECT_EQ(scheduler_.changes.size(), 1U);
    const auto& [job, change] = scheduler_.changes.at(0);
    return fmt::format("{}: limit {}, at least {}, memory {}", job, text(change.limit),
                       text(change.least_limit), change.memory);
  }
  std::string memory_of_script() const {
    return OutFolder(out_).claim(points_[0]).string() + ".memory";
  }

  test::WithVariable own_{"EPOCHCAST_LEDGER", ""};
  std::string output_;
  Tell tell_ = [this](const std::string& line) { output_ += line + "\n"; };
};

TEST_F(UpdateLimits, AJobThatCannotBeChangedIsReplacedAndCancelled) {
  EXPECT_THAT(update_pending_jobs(OutFolder(out_), tell_), IsEmpty());
  EXPECT_THAT(output_, HasSubstr("job 5 replaces job 1: the site refused to lower its limit: "
                                 "Access/permission denied"));
  EXPECT_THAT(scheduler_.cancelled, ElementsAre("1"));
  EXPECT_THAT(scheduler_.calls().back(), HasSubstr("--time=0-00:10:00"));
}

TEST_F(UpdateLimits, GivesTheShorterLimitThatSuffices) {
  scheduler_.refuses_change = "";
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
  EXPECT_EQ(changed(), "1: limit 10m, at least 4m, memory ");
}

TEST_F(UpdateLimits, AFailedCancellationIsAProblem) {
  scheduler_.refuses_cancel = "scancel: error: Socket timed out";
  EXPECT_THAT(update_pending_jobs(OutFolder(out_), tell_),
              ElementsAre(points_[0] + ": job 1 was not cancelled: scancel: error: Socket timed "
                                       "out; run 'scancel 1'"));
}

TEST_F(UpdateLimits, LowersTheMemoryOfAJobThatWaitsAndTellsItsScript) {
  scheduler_.refuses_change = "";
  ask_for_memory();
  EXPECT_EQ(changed(), "1: limit none, at least none, memory MinMemoryNode=1024");
  EXPECT_EQ(read_file(memory_of_script()), "1G\n");
}

TEST_F(UpdateLimits, AJobWhoseMemoryCannotBeChangedKeepsIt) {
  ask_for_memory();
  EXPECT_THAT(output_, HasSubstr("job 1 keeps its memory: Access/permission denied"));
  EXPECT_FALSE(is_there(memory_of_script()));
  EXPECT_TRUE(std::isnan(ledger::read_ledger(ledger::ledger_of(out_)).front().memory_asked_bytes));
}

}  // namespace
}  // namespace epochcast::jobs
