#include "src/training/ranks/run_secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <latch>
#include <set>

#include "src/base/core/files.hpp"
#include "tests/files.hpp"
#include "tests/src/training/ranks/team_of_threads.hpp"

namespace epochcast::ranks {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RunSecretTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const fs::path file_ = folder_ / "work/point/ranks-7.0.secret";

  std::string refusal() const {
    return error_of([&] { RunSecret(file_, false); });
  }
};

TEST_F(RunSecretTest, IsTheSameForAllRanksAndGoneAfterThem) {
  std::array<std::string, 8> found;
  std::latch read(8);
  const auto texts = run_ranks(8, [&](std::int64_t rank) {
    const RunSecret secret(file_, rank == 0);
    found[std::size_t(rank)] = secret.text();
    struct stat status {};
    ASSERT_EQ(stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    read.arrive_and_wait();
  });
  EXPECT_EQ(texts, std::vector<std::string>(8));
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), 1u);
  EXPECT_EQ(found[0].size(), 64u);
  EXPECT_FALSE(fs::exists(file_));
  const RunSecret next(file_, true);
  EXPECT_NE(next.text(), found[0]);
}

TEST_F(RunSecretTest, IsRefusedIfOthersCouldKnowIt) {
  RunSecret secret(file_, false);
  fs::permissions(file_, fs::perms(0644));
  EXPECT_THAT(refusal(), HasSubstr("and mode 644, expected a file of user"));
  fs::permissions(file_, fs::perms(0600));
  EXPECT_EQ(RunSecret(file_, false).text(), secret.text());
  fs::rename(file_, file_.string() + ".real");
  fs::create_symlink(file_.string() + ".real", file_);
  EXPECT_THAT(refusal(), HasSubstr("Too many levels of symbolic links"));
  fs::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("expected a file of user"));
}

TEST_F(RunSecretTest, IsRefusedIfAnotherUserPutItThere) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  RunSecret secret(file_, false);
  ASSERT_EQ(chown(file_.c_str(), 1001, 1001), 0);
  EXPECT_THAT(refusal(), HasSubstr("found owner 1001 and mode 600, expected a file of user 0"));
}

}  // namespace
}  // namespace epochcast::ranks
