#include "jobs/script/shell_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::TempFolder;
using testing::HasSubstr;

/// A folder with the shell file, whose functions are called as a script calls them.
class ShellFileTest : public testing::Test {
 protected:
  ShellFileTest() {
    test::make_out(folder_ / "out");
    make_folder(folder_ / "out/records");
  }
  /// What it says on both streams, and its exit status after "exit ".
  std::string call(const std::string& before, const std::string& calls) const {
    const auto script = fmt::format("out={}\n{}\n( . \"$out/scripts/{}\"\n{} )\necho \"exit $?\"\n",
                                    (folder_ / "out").string(), before, shell_file_name(), calls);
    return process::run_command({"bash", "-c", "exec 2>&1\n" + script}, 60).out;
  }
  std::string claim(const std::string& point) const {
    return read_file(folder_ / "out/claims" / point);
  }
  std::ptrdiff_t count_claims() const {
    return std::distance(test::fs::directory_iterator(folder_ / "out/claims"), {});
  }

  TempFolder folder_;
};

TEST_F(ShellFileTest, OfManyJobsOneClaimsThePoint) {
  const auto said = call("", R"(for job in $(seq 20); do
  (point=x.e1 EPOCHCAST_JOB_ID=$job; epochcast_claim; echo "$job runs") &
done
wait)");
  const std::string owner(trim(claim("x.e1")));
  EXPECT_THAT(said, HasSubstr(owner + " runs"));
  EXPECT_EQ(said.find(" runs"), said.rfind(" runs"));
  EXPECT_THAT(said, HasSubstr("x.e1 is claimed by job " + owner));
  EXPECT_EQ(count_claims(), 1);
  EXPECT_THAT(call("point=x.e1 EPOCHCAST_JOB_ID=" + owner, "epochcast_claim; echo again"),
              HasSubstr("again"));
}

TEST_F(ShellFileTest, AClaimThatCannotBeWrittenLeavesNone) {
  const auto said =
      call("point=x EPOCHCAST_JOB_ID=7", "trap '' XFSZ; ulimit -f 0; epochcast_claim; echo runs");
  EXPECT_THAT(said, HasSubstr("cannot claim x"));
  EXPECT_THAT(said, HasSubstr("exit 1"));
  EXPECT_EQ(count_claims(), 0);
  EXPECT_THAT(call("point=x EPOCHCAST_JOB_ID=7", "epochcast_claim; echo runs"), HasSubstr("runs"));
}

TEST_F(ShellFileTest, AttemptsOfAnotherPointDoNotCount) {
  for (const auto* name : {"x-1-20.jsonl", "x-1-21.jsonl", "x-1-22-r1.jsonl", "x-12.jsonl"}) {
    write_file(folder_ / "out/records" / name, "");
  }
  const std::string restarted = "SLURM_RESTART_COUNT=1 point=x";
  EXPECT_THAT(call(restarted, "epochcast_limit_attempts 2; echo runs"), HasSubstr("runs"));
  write_file(folder_ / "out/records/x-12-r1.jsonl", "");
  EXPECT_THAT(call(restarted, "epochcast_limit_attempts 2; echo runs"),
              HasSubstr("x had 2 attempts; no further one"));
  EXPECT_THAT(call("point=x", "epochcast_limit_attempts 2; echo runs"), HasSubstr("runs"));
}

}  // namespace
}  // namespace epochcast::jobs
