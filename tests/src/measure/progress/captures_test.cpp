// What real programs printed becomes what they report about themselves.
#include "tests/src/measure/progress/captures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "src/measure/progress/lines/line_splitter.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/recognizer/candidate.hpp"

namespace epochcast::progress {
namespace {

using namespace epochcast::tests;

class Captures : public testing::TestWithParam<Kept> {};

TEST_P(Captures, EpochsTimesAndMetricsAreThoseReported) {
  constexpr double slack_s = 0.1;  // how long tqdm and Keras wait until they draw again
  expect_as_reported(read_capture(captures_folder() + GetParam().name + ".txt"),
                     captures_folder() + GetParam().name + ".json", GetParam().format, slack_s);
}

/// Each format alone: no other than its own is confirmed by a log. A general format (tqdm, plain)
/// may read a program that draws such bars by a library; then the library's own is there too.
TEST_P(Captures, NoOtherFormatIsConfirmed) {
  std::set<std::string> confirmed;
  const auto pieces = read_capture(captures_folder() + GetParam().name + ".txt");
  for (const auto& [name, spec] : formats::all()) {
    if (spec.hints.empty()) {
      continue;
    }
    Candidate candidate(name, spec, {});
    const auto read = [&](const Line& line) {
      Line rest = line;
      rest.text.remove_prefix(take_stamp(line.text).size);
      rest.since_s = rest.at_s;
      candidate.read(rest);
    };
    std::map<Stream, LineSplitter> splitters;
    for (const auto& piece : pieces) {
      splitters[piece.stream].read(piece.bytes, piece.at_s, read);
    }
    candidate.finish();
    if (candidate.confirmed()) {
      confirmed.insert(name);
    }
  }
  EXPECT_TRUE(confirmed.contains(GetParam().format));
  confirmed.erase(GetParam().format);
  for (const auto& name : confirmed) {
    EXPECT_TRUE(formats::all().at(name).general) << GetParam().name << " taken for " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Kept, Captures, testing::ValuesIn(kept_captures()),
                         [](const auto& kept) { return std::string(kept.param.name); });

}  // namespace
}  // namespace epochcast::progress
