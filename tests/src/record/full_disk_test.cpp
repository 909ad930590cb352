// A disk that is full, or becomes so: nothing is lost, and there is no crash.
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/writer.hpp"
#include "tests/src/record/made_record.hpp"

namespace epochcast::record {
namespace {

using testing::AllOf;
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

TEST(Salvage, ReportsAFullDiskAndExitsNormally) {
  const TemporaryFolder folder;
  auto record = made_record();
  record.header.outcome = "complete";
  for (std::int64_t i = 0; i < 20000; ++i) {
    record.iterations.push_back(made_row<Iteration>(1000 + i));
  }
  write_record(folder / "a.h5", record);
  std::filesystem::remove(folder / "a.h5");
  std::fflush(nullptr);
  // The child leaves through exit(), as a program does: there HDF5 used to write once more.
  const auto status = status_of_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      salvage_record(folder / "a.h5");
      std::exit(10);
    } catch (const RunError&) {
      std::exit(0);
    }
    return 11;
  });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(salvaged_path(folder / "a.h5")));
}

TEST(Writer, ACompleteRunWhoseEndCouldNotBeWrittenAtOnceHasNotFailed) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto status = status_of_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    RecordWriter writer(path, made_record());
    rlimit limit{std::filesystem::file_size(json_lines_path(path)) + 10, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    writer.append(Epoch{.epoch = 1000});
    std::string failure;
    try {
      writer.finish(run::Outcome::complete, "");
    } catch (const RunError& error) {
      failure = error.what();
    }
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    writer.finish(run::Outcome::failed, failure);
    return failure.empty() ? 10 : 0;
  });
  EXPECT_EQ(status, 0);
  const auto record = read_record(path);
  EXPECT_EQ(record.header.outcome.view(), "complete");
  EXPECT_EQ(record.epochs.back().epoch, 1000);
  EXPECT_TRUE(verify_record(path).consistent) << verify_record(path).text;
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
    writer.finish(run::Outcome::complete, std::to_string(rows));
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
  writer.finish(run::Outcome::complete, "");
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

TEST_F(SmallDisk, FullToTheEndOfTheProgramDoesNotCrash) {
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

}  // namespace
}  // namespace epochcast::record
