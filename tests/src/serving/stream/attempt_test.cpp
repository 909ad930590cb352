#include "src/serving/stream/attempt.hpp"

#include <gtest/gtest.h>

#include "src/record/reader.hpp"
#include "tests/files.hpp"
#include "tests/src/serving/stream/known_predictor.hpp"
#include "tests/thrown.hpp"

namespace epochcast::stream {
namespace {

/// The only record in the folder.
record::Record only_record(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".h5") {
      return record::read_record(entry.path());
    }
  }
  throw Error("no record in " + folder);
}

TEST(StreamAttempt, AnExceptionOfAnyTypeIsAFailureInTheRecord) {
  const SteadyClock clock;
  const attempt::StopFlag stop;
  for (const auto& thrown : thrown_of_every_kind()) {
    const TemporaryFolder folder;
    ConsumeConfig config{.options = {}, .places = {}, .output = {}};
    config.places.from = "folder:" + folder / "stream";
    config.output.point = "p";
    config.output.records = folder / "records";
    config.output.work = folder / "work";
    const ConsumeNetwork network{
        .parameters = {}, .libraries = {}, .make = [&]() -> std::unique_ptr<serve::Predictor> {
          thrown.raise();
          return nullptr;
        }};
    EXPECT_EQ(error_of([&] { (void)run_consume_attempt(config, network, clock, stop); }),
              thrown.text);
    const auto record = only_record(config.output.records);
    EXPECT_EQ(record.header.outcome.str(), "failed") << thrown.text;
    EXPECT_EQ(record.header.outcome_text.str(), thrown.text);
    EXPECT_EQ(record.header.cause.str(), thrown.cause) << thrown.text;
  }
}

}  // namespace
}  // namespace epochcast::stream
