// Paths that users give and that lead nowhere: one line each, that says what is wrong with them.
#include <gmock/gmock.h>

#include "jobs/campaign/out_folder.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class UserPaths : public testing::Test {
 protected:
  UserPaths() {
    folder_.write("x.yaml", "name: x\n");
    folder_.write("c.yaml", "scheduler: local\nallocations: {a: {cpus: 1, trainer: /bin/true}}\n");
    fs::create_symlink(loop_, loop_);
  }
  static process::CommandResult jobs(std::vector<std::string> words) {
    words.insert(words.begin(), EPOCHCAST_BINARY_DIR "/epochcast-jobs");
    return process::run_command(words, 120);
  }
  process::CommandResult make(const std::string& verb, const std::string& out) {
    return jobs({verb, folder_ / "x.yaml", "--cluster", folder_ / "c.yaml", "-o", out});
  }
  static void expect_one_line(const process::CommandResult& result, const std::string& end) {
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.err, AllOf(StartsWith("epochcast-jobs: error: "), EndsWith(end + "\n"),
                                  Not(HasSubstr("filesystem error"))));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  }

  TempFolder folder_;
  std::string loop_ = folder_ / "loop";
};

const auto output_commands = {
    std::vector<std::string>{"run"}, {"submit"}, {"status"}, {"check"}, {"resubmit", "--failed"},
    {"update-limits", "pilot"}};

std::vector<std::string> with_folder(std::vector<std::string> words, const std::string& out) {
  words.insert(words.begin() + 1, out);
  return words;
}

TEST_F(UserPaths, AnOutputFolderThatCannotBeIsOneLine) {
  for (const auto& command : output_commands) {
    SCOPED_TRACE(command[0]);
    for (const auto& [out, why] :
         {std::pair{std::string(5000, 'n'), "cannot be read: File name too long"},
          {loop_, "cannot be read: Too many levels of symbolic links"},
          {std::string(), "found '', expected the name of a file or folder"}}) {
      const auto result = jobs(with_folder(command, out));
      expect_one_line(result, why);
      EXPECT_EQ(result.status, 2);
    }
  }
  for (const auto* verb : {"generate", "plan"}) {
    expect_one_line(make(verb, std::string(5000, 'n')), "File name too long");
    expect_one_line(make(verb, loop_), "Too many levels of symbolic links");
  }
}

TEST_F(UserPaths, AFolderWithoutItsSubfoldersGivesOneLine) {
  make("generate", folder_ / "out");
  fs::remove_all(folder_ / "out/records");
  for (const auto* command : {"run", "status"}) {
    expect_one_line(jobs({command, folder_ / "out"}),
                    "/out/records: folder cannot be read: No such file or directory");
  }
}

TEST_F(UserPaths, UpdateLimitsNeedsAPlan) {
  make("generate", folder_ / "out");
  const auto result = jobs({"update-limits", folder_ / "out", "some-pilot"});
  EXPECT_EQ(result.status, 2);
  expect_one_line(result, "/out: has no plan (no plan.csv), so no job waits for 'some-pilot'");
}

TEST_F(UserPaths, CheckNamesDataThatCannotBeRead) {
  folder_.write("x.yaml", "name: x\ndataset: {name: images, path: " + loop_ + "}\n");
  make("generate", folder_ / "out");
  EXPECT_THAT(
      jobs({"check", folder_ / "out"}).out,
      HasSubstr(loop_ + ": 'dataset.path' cannot be read: Too many levels of symbolic links. "
                        "Fix: correct 'dataset.path', or copy the data there\n"));
}

TEST_F(UserPaths, AnInvalidFileNameGivesOneLine) {
  const auto long_name = std::string(5000, 'n') + ".yaml";
  const auto out = folder_ / "out";
  expect_one_line(jobs({"generate", long_name, "--cluster", folder_ / "c.yaml", "-o", out}),
                  "File name too long");
  expect_one_line(jobs({"generate", folder_ / "x.yaml", "--cluster", long_name, "-o", out}),
                  "File name too long");
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(UserPaths, ADeletedWorkingFolderGivesOneLine) {
  fs::create_directory(folder_ / "gone");
  const auto result = process::run_command(
      {"bash", "-c",
       "cd " + (folder_ / "gone").string() +
           " && rmdir ../gone && " EPOCHCAST_BINARY_DIR "/epochcast-jobs run out"},
      60);
  expect_one_line(result, "out: is relative to a folder that is gone: No such file or directory");
}

}  // namespace
}  // namespace epochcast::jobs
