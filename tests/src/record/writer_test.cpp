// What the writer promises: nothing overwritten, readable while it writes.
#include "src/record/writer.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <array>
#include <iostream>

#include "src/record/reader.hpp"
#include "tests/src/record/made_record.hpp"

namespace epochcast::record {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Writer, LeavesNothingBesideTheTwoFiles) {
  const TemporaryFolder folder;
  { const RecordWriter writer(folder / "a.h5", made_record()); }
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("a.h5", "a.jsonl"));
}

TEST(Writer, OverwritesNothing) {
  for (const auto* there : {"a.h5", "a.jsonl"}) {
    const TemporaryFolder folder;
    set_bytes(folder / there, "mine");
    EXPECT_THAT(error_of([&] { RecordWriter(folder / "a.h5", Record{}); }),
                HasSubstr("exists already"));
    EXPECT_EQ(bytes_of(folder / there), "mine");
    const auto entries = std::filesystem::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "a failed start leaves nothing";
  }
}

TEST(Writer, NamesAFolderThatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { RecordWriter(folder / "no/a.h5", Record{}); }),
              AllOf(HasSubstr("no/a"), HasSubstr("No such file or directory")));
}

TEST(Writer, UpdatesTheHeaderInPlace) {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "a.h5", Record{});
  auto header = writer.header();
  header.tainted = "cpus: asked 16, got 2";
  writer.update(header);
  EXPECT_EQ(read_record(folder / "a.h5").header.tainted, header.tainted);
  EXPECT_EQ(read_record(folder / "a.h5").header.outcome.view(), "running");
  writer.finish(run::Outcome::stopped, "time limit");
  const auto read = read_record(folder / "a.h5").header;
  EXPECT_EQ(read.outcome.view(), "stopped");
  EXPECT_EQ(read.outcome_text.view(), "time limit");
  EXPECT_EQ(read.finished_at.view().size(), 25U) << read.finished_at.view();
  EXPECT_EQ(read.tainted, header.tainted);
}

TEST(Writer, LeavesItsFilesToNoProgramThatIsStarted) {
  const TemporaryFolder folder;
  const RecordWriter writer(folder / "a.h5", Record{});
  const auto held = "ls -l /proc/self/fd | grep -c " + folder.path();
  EXPECT_NE(std::system((held + " > /dev/null").c_str()), 0) << "grep finds none: exit 1";
}

TEST(Writer, TakesNoRowsAfterTheEnd) {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "a.h5", Record{});
  writer.finish(run::Outcome::complete, "");
  EXPECT_THROW(writer.append(Epoch{}), std::logic_error);
  EXPECT_THROW(writer.flush(), std::logic_error);
}

/// HDF5 keeps writing to a file that was removed.
TEST(Writer, FailsAtItsEndIfAFileWasRemoved) {
  for (const auto* gone : {"a.h5", "a.jsonl"}) {
    const TemporaryFolder folder;
    RecordWriter writer(folder / "a.h5", Record{});
    std::filesystem::remove(folder / gone);
    EXPECT_EQ(error_of([&] { writer.finish(run::Outcome::complete, ""); }),
              (folder / gone) + ": the record was removed while the run was writing it");
    writer.finish(run::Outcome::failed, "a second end is ignored");
  }
  const TemporaryFolder folder;
  RecordWriter writer(folder / "a.h5", Record{});
  std::filesystem::remove(folder / "a.jsonl");
  EXPECT_THROW(writer.finish(run::Outcome::complete, ""), RunError);
  EXPECT_EQ(read_record(folder / "a.h5").header.outcome.view(), "failed");
}

TEST(Writer, CountsItsOwnTime) {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "a.h5", Record{});
  const double before_s = writer.own_time_s();
  writer.append(Epoch{});
  writer.flush();
  EXPECT_GT(writer.own_time_s(), before_s);
}

/// Holds a record open in another process while `look` runs here.
template <class Look>
void with_live_writer(const std::string& path, Look&& look) {
  std::array<int, 2> ready{}, done{};
  ASSERT_EQ(pipe(ready.data()) | pipe(done.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    RecordWriter writer(path, made_record());
    writer.append(Epoch{.epoch = 77});
    writer.flush();
    close(ready[1]);  // the parent's read ends
    char byte = 0;
    close(done[1]);
    [[maybe_unused]] const auto count = read(done[0], &byte, 1);
    _exit(0);
  }
  close(ready[1]);
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 0);
  look();
  close(done[1]);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(done[0]);
}

TEST(LiveRecord, OpensWhileItsWriterHoldsIt) {
  const TemporaryFolder folder;
  unsetenv("HDF5_USE_FILE_LOCKING");
  with_live_writer(folder / "a.h5", [&] {
    const auto read = read_record(folder / "a.h5");
    ASSERT_EQ(read.epochs.size(), 4U);
    EXPECT_EQ(read.epochs[3].epoch, 77);
    EXPECT_EQ(read.header.outcome.view(), "running");
  });
}

TEST(LiveRecord, LocksIfTheEnvironmentRequiresIt) {
  const TemporaryFolder folder;
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // HDF5 reads the variable once a process: a fresh one is needed
  EXPECT_EXIT(
      {
        setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);
        with_live_writer(folder / "a.h5",
                         [&] { std::cerr << error_of([&] { read_record(folder / "a.h5"); }); });
        _exit(0);
      },
      testing::ExitedWithCode(0), "is locked by its writer");
}

}  // namespace
}  // namespace epochcast::record
