#include "src/measure/progress/lines/stamp.hpp"

#include <gmock/gmock.h>

#include <string>

namespace epochcast::progress {
namespace {

using testing::StrEq;

class StampPrefix : public testing::TestWithParam<const char*> {};

/// The loggers that people configure put names, places and levels between the stamp and the
/// message.
TEST_P(StampPrefix, EndsWhereTheMessageBegins) {
  for (const std::string message : {"train: loss=0.5", "Epoch 3: val loss 0.4", "step 7/9"}) {
    const auto line = GetParam() + message;
    EXPECT_THAT(line.substr(take_stamp(line).size), StrEq(message)) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Loggers, StampPrefix,
    testing::Values(
        "2026-03-04 10:00:00,123 - train - INFO - ", "2026-03-04 10:00:00,123 - __main__ - INFO - ",
        "2026-03-04 10:00:00 | INFO | train:main:33 - ", "[2026-03-04 10:00:00][train][INFO] - ",
        "2026-03-04 10:00:00 INFO train.py:88 ", "2026-03-04 10:00:00 [train.py:88] INFO: ",
        "INFO 2026-03-04 10:00:00 train.py:88] ", "2026-03-04 10:00:00 train.py[line:88] INFO ",
        "2026-03-04 10:00:00 - INFO - train.py - train_loop - 88 - ",
        "[2026-03-04 10:00:00] {val.py:88} INFO - ", "[INFO] 2026-03-04 10:00:00 - ",
        "2026-03-04 10:00:00 (train.py, line 88) INFO ",
        "[2026-03-04 10:00:00 main] (train.py 88): INFO ",
        "2026-03-04 10:00:00,055 INFO     MainThread train.py:88 - "));

TEST(Stamp, WordsOfTheMessageAreNoLogger) {
  for (const std::string line : {"2026-03-04 10:00:00 Epoch 3 INFO: loss 0.5",
                                 "2026-03-04 10:00:00 train INFO nce loss 0.5"}) {
    EXPECT_EQ(line.substr(take_stamp(line).size), line.substr(20)) << line;
  }
}

}  // namespace
}  // namespace epochcast::progress
