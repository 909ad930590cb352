#include "src/serving/load/attempt.hpp"

#include <gtest/gtest.h>

#include "src/measure/attempt/start.hpp"
#include "src/record/reader.hpp"
#include "tests/files.hpp"
#include "tests/thrown.hpp"

namespace epochcast::load {
namespace {

TEST(LoadAttempt, AnExceptionOfAnyTypeIsAFailureInTheRecord) {
  const TemporaryFolder folder;
  LoadAttempt attempt{
      .command = {}, .target = {.url = "http://127.0.0.1:1"}, .output = {}, .start = {}};
  attempt.output.point = "p";
  attempt.output.records = folder.path();
  for (const auto& thrown : thrown_of_every_kind()) {
    attempt.start.header.job_id = std::to_string(&thrown - thrown_of_every_kind().data());
    const auto path = attempt::record_path(attempt.output, attempt.start.header);
    const RaisingClock clock(path, thrown.raise);
    EXPECT_EQ(error_of([&] { (void)run_load_attempt(attempt, clock, hold_signals()); }),
              thrown.text);
    const auto record = record::read_record(path);
    EXPECT_EQ(record.header.outcome.str(), "failed") << thrown.text;
    EXPECT_EQ(record.header.outcome_text.str(), thrown.text);
    EXPECT_EQ(record.header.cause.str(), thrown.cause) << thrown.text;
  }
}

}  // namespace
}  // namespace epochcast::load
