#include "src/record/outcome.hpp"

#include <gtest/gtest.h>

namespace epochcast::record {
namespace {

RecordHeader stopped_header(std::string_view text) {
  RecordHeader header;
  set_outcome(header, run::Outcome::stopped, text);
  return header;
}

TEST(PilotDone, IsWhatTheFieldSaysWhateverTheText) {
  auto header = stopped_header("as asked");
  EXPECT_FALSE(is_pilot_done(header));
  header.pilot_done = 1;
  EXPECT_TRUE(is_pilot_done(header));
  set_outcome(header, run::Outcome::failed, "the disk was full");
  EXPECT_FALSE(is_pilot_done(header)) << "it failed in the end";
}

TEST(PilotDone, IsReadFromTheTextOfOldRecords) {
  EXPECT_TRUE(is_pilot_done(stopped_header("pilot of 2 epochs done")));
  EXPECT_FALSE(is_pilot_done(stopped_header("the command stopped early with exit status 75")));
}

}  // namespace
}  // namespace epochcast::record
