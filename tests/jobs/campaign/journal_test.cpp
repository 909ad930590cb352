#include "jobs/campaign/journal.hpp"

#include <gtest/gtest.h>

#include "src/base/core/file_lock.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;

const Submission two{"t1", "2026-11-21T09:00:00+00:00", {"a", "b"}, true};

TEST(Journal, RemembersEveryStep) {
  const TempFolder folder;
  {
    Journal journal(folder / "j");
    journal.intend(two);
    ASSERT_EQ(journal.open().size(), 1U);
    journal.submitted("t1", "12");
    journal.intend({"t2", "now", {"c"}, false});
    journal.dropped("t2", "refused");
    journal.intend({"t3", "now", {"c"}, false});
    journal.cancelled({"a", "b", "c"});
    journal.kept({"c"});
    journal.intend({"t4", "now", {"b"}, false});
    journal.submitted("t4", "13");
    journal.released("a", "12_0");
  }
  const Journal journal(folder / "j");
  EXPECT_EQ(journal.jobs(), (std::map<std::string, std::string>{{"b", "13"}}));
  EXPECT_EQ(journal.all_jobs(), (std::vector<std::string>{"12", "13"}));
  EXPECT_TRUE(journal.is_cancelled("a")) << "until it has another job";
  EXPECT_FALSE(journal.is_cancelled("b")) << "its job is another one";
  EXPECT_FALSE(journal.is_cancelled("c")) << "Slurm refused that";
  ASSERT_EQ(journal.open().size(), 1U);
  EXPECT_EQ(journal.open()[0].token, "t3");
}

TEST(Journal, ALineCutOffAnywhereLosesOnlyItself) {
  const TempFolder folder;
  {
    Journal journal(folder / "j");
    journal.intend(two);
    journal.submitted("t1", "12");
  }
  const auto whole = read_file(folder / "j");
  const auto first = whole.find('\n') + 1;
  for (auto length = first; length < whole.size(); ++length) {
    std::ofstream(folder / "j", std::ios::binary) << whole.substr(0, length);
    Journal journal(folder / "j");
    ASSERT_EQ(journal.open().size(), length == whole.size() - 1 ? 0U : 1U) << length;
    if (!journal.open().empty()) {
      journal.submitted("t1", "13");  // continues after the torn line
      EXPECT_EQ(Journal(folder / "j").jobs().at("b"), "13_1");
    }
  }
}

TEST(Journal, RemembersWhatEndsInAJobOfSeveralPoints) {
  const TempFolder folder;
  const auto line = [&](const std::string& text) {  // as a script appends it
    std::ofstream(folder / "j", std::ios::app) << "\n" << text << "\n";
  };
  {
    Journal journal(folder / "j");
    journal.intend({"t1", "now", {"a", "b", "c", "d"}});
    journal.submitted("t1", "12");
    journal.cancelled({"b"}, "12");
  }
  line(R"({"event":"ended","point":"a","job":"12","status":137,"out_of_memory":true})");
  line(R"({"event":"ended","point":"b","job":"12","status":0})");
  line(R"({"event":"left","point":"c","job":"12"})");
  line(R"({"event":"left","point":"d","job":"11"})");
  std::ofstream(folder / "j", std::ios::app) << R"({"event":"ended","point":"d","job":"12","st)";
  const Journal journal(folder / "j");
  EXPECT_EQ(journal.in_job("a", "12").end->status, 137);
  EXPECT_TRUE(journal.in_job("a", "12").end->out_of_memory);
  EXPECT_FALSE(journal.in_job("a", "11").end);
  EXPECT_FALSE(journal.in_job("b", "12").end->out_of_memory);
  EXPECT_TRUE(journal.in_job("b", "12").is_cancelled_alone);
  EXPECT_FALSE(journal.in_job("a", "12").is_cancelled_alone);
  EXPECT_TRUE(journal.in_job("c", "12").is_released);
  EXPECT_FALSE(journal.jobs().contains("c"));
  EXPECT_EQ(journal.jobs().at("d"), "12") << "an older job has left it";
  EXPECT_FALSE(journal.in_job("d", "12").end) << "that line was cut off";
  line(R"({"event":"ended","point":"d","job":"12","status":1})");
  EXPECT_EQ(Journal(folder / "j").in_job("d", "12").end->status, 1);
}

TEST(Journal, ReadersThatKeepItLockedDoNotStopIt) {
  const TempFolder folder;
  Journal journal(folder / "j");
  journal.end("1");
  FileLock lock(folder / "j");
  lock.lock();
  journal.end("2");
  EXPECT_EQ(Journal(folder / "j").ending(), (std::vector<std::string>{"1", "2"}));
}

TEST(Journal, DamageElsewhereIsNamedByItsLine) {
  const TempFolder folder;
  folder.write("j", "{\"event\":\"intent\"}\n");
  EXPECT_EQ(error_of([&] { Journal(folder / "j"); }).substr(0, (folder / "j").string().size() + 34),
            (folder / "j").string() + ":1: is not a line of the journal: ");
}

}  // namespace
}  // namespace epochcast::jobs
