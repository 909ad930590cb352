#include "src/base/core/pending_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/base/core/error.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

class PendingFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("pending_file_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(path()) << "old";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ / "file"; }
  std::string content() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(PendingFiles, ReplaceTheFileAsAWhole) {
  PendingFile pending(path());
  pending.write("a ");
  pending.write("new one");
  EXPECT_EQ(content(), "old");
  pending.replace();
  EXPECT_EQ(content(), "a new one");
  EXPECT_EQ(files(), 1);
}

TEST_F(PendingFiles, ThatAreAbandonedLeaveTheOldOneAndNothingElse) {
  {
    PendingFile pending(path());
    pending.write("half of");
  }
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(PendingFiles, ExplainWhyTheyCannotBeWritten) {
  const auto error_of = [](const std::string& path, const std::string& bytes) {
    try {
      PendingFile pending(path);
      pending.write(bytes);
      pending.replace();
      return std::string("none");
    } catch (const RunError& error) {
      return std::string(error.what());
    }
  };
  const auto missing = folder_ / "none/file";
  EXPECT_EQ(error_of(missing, "x"),
            missing.string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(error_of("/dev/full", "x"), "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(error_of(folder_, "x"), folder_.string() + ": cannot be written: Is a directory");
}

void write(const std::string& path, const std::string& text) {
  PendingFile pending(path);
  pending.write(text);
  pending.replace();
}

TEST_F(PendingFiles, KeepModeAndGroupOfTheFile) {
  fs::permissions(path(), fs::perms::owner_read | fs::perms::owner_write);
  write(path(), "new");
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(path(), fs::perms(0664));
  write(path(), "newer");
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms(0664));
}

TEST_F(PendingFiles, KeepTheOwnerWhereTheSystemPermitsIt) {
  constexpr uid_t other = 12345;
  if (chown(path().c_str(), other, other) != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  write(path(), "new");
  struct stat found {};
  ASSERT_EQ(stat(path().c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, other);
  EXPECT_EQ(found.st_gid, other);
}

TEST_F(PendingFiles, LeaveLinksAndReplaceWhatTheyName) {
  const auto link = folder_ / "link";
  const auto chain = folder_ / "chain";
  fs::create_symlink("file", link);
  fs::create_symlink(link, chain);
  write(chain, "through");
  EXPECT_EQ(content(), "through");
  EXPECT_TRUE(fs::is_symlink(link) && fs::is_symlink(chain));
  const auto dangling = folder_ / "dangling";
  fs::create_symlink("fresh", dangling);
  write(dangling, "x");
  EXPECT_TRUE(fs::is_symlink(dangling) && fs::is_regular_file(folder_ / "fresh"));
}

/// As root, a rename would remove the device for the whole machine.
TEST_F(PendingFiles, WriteToDevicesAndPipesAsTheyAre) {
  write("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  write(pipe, "through");
  std::string got(16, '\0');
  got.resize(static_cast<std::size_t>(::read(reader, got.data(), got.size())));
  close(reader);
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(PendingFiles, AddToAnOpenFile) {
  const int file = open(path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  write("/dev/fd/" + std::to_string(file), " and more");
  ASSERT_EQ(::write(file, "!", 1), 1);
  close(file);
  EXPECT_EQ(content(), "old and more!");
}

/// Who may write to the folder could plant a link there.
TEST_F(PendingFiles, DoNotFollowALinkUnderTheNameBeside) {
  std::ofstream(folder_ / "victim") << "kept";
  fs::create_symlink("victim", path() + ".new");
  write(path(), "new");
  EXPECT_EQ(content(), "new");
  EXPECT_FALSE(fs::is_symlink(path()));
  std::ifstream victim(folder_ / "victim");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(victim), {}), "kept");
}

}  // namespace
}  // namespace epochcast
