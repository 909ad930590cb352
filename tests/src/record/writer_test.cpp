// What the writer promises: nothing overwritten, nothing lost when the disk is full, readable while
// it writes.
#include "src/record/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <iostream>

#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "tests/src/record/made_record.hpp"
#include "tests/src/record/same.hpp"

namespace epochcast {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// Runs `body` in a child process; its answer is the exit status.
template <class Body>
int status_of_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

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
  writer.finish("stopped", "time limit");
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
  writer.finish("complete", "");
  EXPECT_THROW(writer.append(Epoch{}), std::logic_error);
  EXPECT_THROW(writer.flush(), std::logic_error);
}

TEST(Writer, CountsItsOwnTime) {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "a.h5", Record{});
  const double before_s = writer.own_time_s();
  writer.append(Epoch{});
  writer.flush();
  EXPECT_GT(writer.own_time_s(), before_s);
}

TEST(Writer, ADiskThatFillsLosesNothing) {
  // A limit on the size of files stands for the disk: it needs no rights and strikes both files in
  // turn, since rows of text are larger in HDF5 and rows of numbers are larger as lines.
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto run = [&](auto make_row) {
    std::signal(SIGXFSZ, SIG_IGN);
    RecordWriter writer(path, Record{});
    rlimit limit{400000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::int64_t rows = 0;
    std::string failure;
    while (failure.empty() && rows < 100000) {
      for (int i = 0; i < 50; ++i) {
        writer.append(make_row(rows++));
      }
      try {
        writer.flush();
      } catch (const RunError& error) {
        failure = error.what();
      }
    }
    if (failure.find("File too large") == std::string::npos ||
        failure.find('\n') != std::string::npos) {
      return 10;
    }
    const auto verdict = verify_record(path);
    if (!verdict.readable || !verdict.consistent) {
      return 11;
    }
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    writer.finish("complete", std::to_string(rows));
    return 0;
  };
  const auto check = [&](auto table) {
    const auto read = read_record(path);
    EXPECT_EQ(std::to_string((read.*table).size()), read.header.outcome_text.view());
    EXPECT_TRUE(verify_record(path).consistent) << verify_record(path).text;
    std::filesystem::remove(path);
    std::filesystem::remove(json_lines_path(path));
  };
  EXPECT_EQ(status_of_child([&] {
              return run([](std::int64_t i) { return Iteration{.index = i, .start_s = 0.1}; });
            }),
            0);
  check(&Record::iterations);
  EXPECT_EQ(
      status_of_child([&] {
        return run([](std::int64_t i) { return ParameterRow{std::to_string(i), "", "", ""}; });
      }),
      0);
  check(&Record::parameters);
}

/// A file system of 600 kB of its own, where the kernel lets us mount one.
class SmallDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (mount("none", folder_.path().c_str(), "tmpfs", 0, "size=600k") != 0) {
      GTEST_SKIP() << "no right to mount a small file system";
    }
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) {
      umount2(folder_.path().c_str(), MNT_DETACH);
    }
  }
  TemporaryFolder folder_;
  bool mounted_ = false;
};

TEST_F(SmallDisk, FullThenFreedLosesNothing) {
  const auto path = folder_ / "a.h5";
  set_bytes(folder_ / "ballast", std::string(150000, 'x'));
  RecordWriter writer(path, Record{});
  std::int64_t rows = 0;
  std::string failure;
  while (failure.empty() && rows < 100000) {
    writer.append(ParameterRow{std::to_string(rows++), "", "", ""});
    try {
      writer.flush();
    } catch (const RunError& error) {
      failure = error.what();
    }
  }
  EXPECT_THAT(failure,
              AllOf(HasSubstr("a."), HasSubstr("No space left on device"), Not(HasSubstr("\n"))));
  EXPECT_EQ(read_record(path).parameters.size(), static_cast<std::size_t>(rows - 1));
  EXPECT_THROW(writer.flush(), RunError) << "still full";
  std::filesystem::remove(folder_ / "ballast");
  writer.finish("complete", "");
  EXPECT_EQ(read_record(path).parameters.size(), static_cast<std::size_t>(rows));
  EXPECT_TRUE(verify_record(path).consistent) << verify_record(path).text;
}

TEST_F(SmallDisk, FullAtTheStartLeavesNothing) {
  set_bytes(folder_ / "ballast", std::string(560000, 'x'));
  EXPECT_THAT(error_of([&] { RecordWriter(folder_ / "a.h5", made_record()); }),
              HasSubstr("No space left on device"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.h5.new"));
}

TEST_F(SmallDisk, FullToTheEndOfTheProgramIsNoCrash) {
  EXPECT_EQ(status_of_child([&] {
              RecordWriter writer(folder_ / "a.h5", Record{});
              for (int i = 0; i < 2000; ++i) {
                writer.append(ParameterRow{"a", "", "", ""});
              }
              try {
                writer.flush();
                return 1;
              } catch (const RunError&) {
                return 0;
              }
            }),
            0);
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

TEST(LiveRecord, ObeysTheEnvironmentWhereASiteWantsLocks) {
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

TEST(Settle, GivesARecordWhoseJobIsGoneItsOutcome) {
  const TemporaryFolder folder;
  { const RecordWriter killed(folder / "a.h5", made_record()); }
  const auto lines = bytes_of(folder / "a.jsonl");
  set_bytes(folder / "a.jsonl", lines + "{\"table\":\"epo");  // torn by the kill
  settle_record(folder / "a.h5", "lost", "node failed");
  const auto read = read_record(folder / "a.h5");
  EXPECT_EQ(read.header.outcome.view(), "lost");
  EXPECT_EQ(read.header.outcome_text.view(), "node failed");
  EXPECT_FALSE(read.header.finished_at.view().empty());
  EXPECT_EQ(read_json_lines(folder / "a.jsonl").record.header.outcome.view(), "lost");
  expect_same_tables(read, made_record());
  EXPECT_TRUE(verify_record(folder / "a.h5").consistent) << verify_record(folder / "a.h5").text;
}

TEST(Settle, KeepsTheOutcomeOfARecordThatEnded) {
  const TemporaryFolder folder;
  RecordWriter(folder / "a.h5", Record{}).finish("complete", "");
  settle_record(folder / "a.h5", "lost", "");
  EXPECT_EQ(read_record(folder / "a.h5").header.outcome.view(), "complete");
}

TEST(Settle, WorksOnTheLinesWhereTheFileIsMissingOrDamaged) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", made_record());
  set_bytes(folder / "a.h5", "damaged");
  EXPECT_THAT(error_of([&] { settle_record(folder / "a.h5", "lost", "gone"); }),
              HasSubstr("salvage"));
  EXPECT_EQ(bytes_of(folder / "a.h5"), "damaged");
  std::filesystem::remove(folder / "a.h5");
  settle_record(folder / "a.h5", "lost", "gone");
  EXPECT_EQ(read_record(salvage_record(folder / "a.h5")).header.outcome_text.view(), "gone");
}

TEST(Settle, WorksWithoutLines) {
  const TemporaryFolder folder;
  write_record(folder / "a.h5", made_record());
  std::filesystem::remove(folder / "a.jsonl");
  settle_record(folder / "a.h5", "failed", "out of memory");
  EXPECT_EQ(read_record(folder / "a.h5").header.outcome_text.view(), "out of memory");
}

}  // namespace
}  // namespace epochcast
