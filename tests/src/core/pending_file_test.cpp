#include "src/core/pending_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/core/error.hpp"

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
  fs::create_symlink("/dev/full", path() + ".new");
  EXPECT_EQ(error_of(path(), "x"), path() + ": cannot be written: No space left on device");
  EXPECT_EQ(content(), "old");
}

}  // namespace
}  // namespace epochcast
