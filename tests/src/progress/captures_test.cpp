// What real programs printed becomes what they report about themselves.
#include "tests/src/progress/captures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "src/progress/candidate.hpp"
#include "src/progress/line_splitter.hpp"
#include "src/progress/stamp.hpp"

namespace epochcast::progress {
namespace {

using namespace progress::tests;

class Captures : public testing::TestWithParam<Kept> {};

/// Its own count of epochs, and the metrics that it reports: each is in the record.
void expect_as_reported(const std::vector<Piece>& pieces, const std::string& truth_path,
                        const std::string& format) {
  const auto truth = nlohmann::json::parse(bytes_of(truth_path)).at("epochs");
  Recognizer recognizer({});
  for (const auto& piece : pieces) {
    recognizer.read(piece.stream, piece.bytes, piece.at_s);
  }
  const double end_s = pieces.back().at_s;
  recognizer.finish(end_s);
  EXPECT_EQ(recognizer.source(), format);
  EXPECT_EQ(recognizer.note(), "");
  EXPECT_EQ(recognizer.position().epochs_done, std::ssize(truth));
  const auto rows = recognizer.take();
  ASSERT_EQ(rows.epochs.size(), truth.size());
  double before_s = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto& epoch = rows.epochs[i];
    EXPECT_EQ(epoch.epoch, std::ssize(rows.epochs) - std::ssize(truth) + std::int64_t(i));
    EXPECT_GE(epoch.start_s, before_s - 1e-9);
    EXPECT_GT(epoch.wall_s, 0);
    before_s = epoch.start_s + epoch.wall_s + epoch.evaluate_s;
    EXPECT_LE(before_s, end_s + 1e-9);
    for (const auto& [name, value] : truth[i].at("metrics").items()) {
      std::vector<double> found;
      for (const auto& metric : rows.metrics) {
        if (metric.epoch == epoch.epoch && metric.name.view() == name && metric.iteration == 0) {
          found.push_back(metric.value);
        }
      }
      EXPECT_THAT(found, testing::ElementsAre(testing::DoubleNear(value.get<double>(), 1e-12)))
          << "epoch " << i << ", " << name;
    }
  }
}

TEST_P(Captures, EpochsAndMetricsAreThoseReported) {
  expect_as_reported(read_capture(captures_folder() + GetParam().name + ".txt"),
                     captures_folder() + GetParam().name + ".json", GetParam().format);
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
      candidate.read(rest, line.at_s);
    };
    std::map<Stream, LineSplitter> splitters;
    for (const auto& piece : pieces) {
      splitters[piece.stream].read(piece.bytes, piece.at_s, read);
    }
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
