// Answers and progress are durable together, for one process at a time.
#include "src/serving/stream/journal.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "tests/files.hpp"

namespace epochcast::stream {
namespace {

const std::vector<std::string> two_classes{"no", "yes"};

AnsweredBatch answered(const std::string& source, std::int64_t id, std::size_t size = 2) {
  AnsweredBatch batch{.source = source, .id = id};
  for (std::size_t i = 0; i < size; ++i) {
    batch.answers.push_back({.chosen = static_cast<std::int64_t>(i % 2), .score = 0.75});
  }
  return batch;
}

class StreamJournal : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string path = folder / "stream.sqlite";
};

TEST_F(StreamJournal, KeepsAnswersAndProgress) {
  std::string id;
  {
    Journal journal(path, two_classes, 0);
    id = journal.id();
    EXPECT_EQ(journal.last_done("a"), Sink::none);
    journal.commit(answered("a", 0));
    journal.commit(answered("b", 5, 1));
    auto last = answered("a", 1);
    last.answers[1] = {.chosen = -1, .label = 4, .refused = "why, \"indeed\""};
    journal.commit(last);
  }
  const Journal journal(path, two_classes, 0);
  EXPECT_EQ(journal.last_done("a"), 1);
  EXPECT_EQ(journal.last_done("b"), 5);
  EXPECT_EQ(journal.batches_done(), 3);
  EXPECT_EQ(journal.id(), id);
  const auto rows = read_results(path);  // while the journal is open
  ASSERT_EQ(rows.size(), 5);
  EXPECT_EQ(rows[1].chosen, "yes");
  EXPECT_EQ(rows[1].score, 0.75);
  EXPECT_EQ(rows[2].source, "b");
  EXPECT_EQ(rows[4].sequence, 3);
  EXPECT_EQ(rows[4].position, 1);
  EXPECT_EQ(rows[4].chosen, "");
  EXPECT_EQ(rows[4].label, 4);
  EXPECT_EQ(rows[4].refused, "why, \"indeed\"");
}

TEST_F(StreamJournal, TakesABatchOnce) {
  Journal journal(path, two_classes, 0);
  journal.commit(answered("a", 1));
  EXPECT_THROW(journal.commit(answered("a", 1)), RunError);
  EXPECT_EQ(read_results(path).size(), 2);
}

TEST_F(StreamJournal, RefusesASecondConsumer) {
  const Journal first(path, two_classes, 0);
  try {
    const Journal second(path, two_classes, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), exit_bad_input);
    EXPECT_EQ(error.what(),
              path + ": another consumer uses this journal; stop it, or use another one");
  }
}

TEST_F(StreamJournal, FencesTheFirstConsumerWhereLocksDoNotWork) {
  Journal first(path, two_classes, 0);
  first.commit(answered("a", 1));
  std::filesystem::remove(path + ".lock");  // the second one locks another file
  Journal second(path, two_classes, 0);
  EXPECT_THROW(first.commit(answered("a", 2)), RunError);
  second.commit(answered("a", 2, 3));
  EXPECT_EQ(read_results(path).size(), 5);
}

TEST_F(StreamJournal, RefusesOtherFilesAndOtherNetworks) {
  { const Journal journal(path, two_classes, 0); }
  EXPECT_THROW(Journal(path, {"no", "perhaps"}, 0), Error);
  std::ofstream(folder / "text") << "no database, but long enough to look like a file of one\n";
  EXPECT_THROW(Journal(folder / "text", two_classes, 0), Error);
  EXPECT_THROW(read_results(folder / "text"), Error);
  EXPECT_THROW(read_results(folder / "missing"), Error);
  {
    Database other(folder / "other", Database::Mode::create);
    other.run("CREATE TABLE t (x)");
  }
  EXPECT_THROW(Journal(folder / "other", two_classes, 0), Error);
}

/// Limits the size of files of this process, as a full disk does.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(StreamJournal, AFullDiskRefusesABatchWholeAndTakesItLater) {
  Journal journal(path, two_classes, 0);
  journal.commit(answered("a", 1));
  {
    const FileLimit limit(std::filesystem::file_size(path));
    EXPECT_THROW(journal.commit(answered("a", 2, 5000)), NotNow);
    EXPECT_THROW(journal.commit(answered("a", 2, 5000)), NotNow);
    EXPECT_EQ(journal.last_done("a"), 1);
  }
  EXPECT_EQ(read_results(path).size(), 2);
  journal.commit(answered("a", 2, 5000));
  EXPECT_EQ(read_results(path).size(), 5002);
}

}  // namespace
}  // namespace epochcast::stream
