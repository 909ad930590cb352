// A folder of the version whose jobs noted the ends of points in files of their own.
#include "jobs/campaign/earlier_files.hpp"

#include <gmock/gmock.h>

#include "jobs/campaign/status.hpp"
#include "jobs/submit/submit.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(EarlierFiles, TheStatesAreThoseThatTheEarlierVersionShowed) {
  const test::TempFolder folder;
  const auto out = folder / "out";
  fs::copy(EPOCHCAST_SOURCE_DIR "/tests/golden/earlier_campaign", out, fs::copy_options::recursive);
  auto origin = read_file(out / "generate.json");
  origin.replace(origin.find("\"OUT\""), 5, "\"" + out.string() + "\"");
  write_file(out / "generate.json", origin);
  const test::WithVariable path("PATH", folder / "without_scheduler");
  std::vector<std::string> states;
  for (const auto& point : jobs::status(out.string()).points) {
    states.push_back(
        fmt::format("{}: {}, {}", to_text(point.state), point.reason, to_text(point.cause)));
  }
  EXPECT_THAT(states, ElementsAre("complete: , ", "failed: told to, other",
                                  "lost: OUT_OF_MEMORY, out_of_memory",
                                  "missing: CANCELLED, cancelled", "new: , "));
  const auto again = submit({.out = out, .filters = {}, .points = {}, .dry_run = true});
  EXPECT_EQ(again.to_submit, 2U) << "what the job left, and what was released";
  EXPECT_EQ(again.had, 3U);
}

}  // namespace
}  // namespace epochcast::jobs
