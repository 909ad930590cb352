// Damaged lines of real programs: a format reads them or not, and what it makes of them can be.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "src/measure/progress/lines/line_splitter.hpp"
#include "src/measure/progress/recognizer/candidate.hpp"
#include "tests/fuzz.hpp"
#include "tests/src/measure/progress/captures.hpp"
#include "tests/src/measure/progress/text.hpp"

namespace epochcast::progress {
namespace {

using namespace epochcast::tests;

constexpr std::size_t most_rows = 8192;

/// Lines as the texts of texts_test.cpp have them.
std::vector<std::string> written_lines(const std::string& format) {
  const auto found = tests::texts::all().find(format);
  std::vector<std::string> lines;
  for (std::uint64_t seed = 0; found != tests::texts::all().end() && seed < 3; ++seed) {
    tests::Program program(seed);
    found->second.write(program);
    LineSplitter splitter;
    for (const auto& piece : program.text.pieces) {
      splitter.read(piece.bytes, 0, [&](const Line& line) { lines.emplace_back(line.text); });
    }
  }
  return lines;
}

std::vector<std::string> lines_of(const std::string& format) {
  auto lines = written_lines(format);
  for (const auto& kept : kept_captures()) {
    if (kept.format == format) {
      LineSplitter splitter;
      for (const auto& piece : read_capture(captures_folder() + kept.name + ".txt")) {
        splitter.read(piece.bytes, 0, [&](const Line& line) { lines.emplace_back(line.text); });
      }
    }
  }
  // Of a format that has neither, the case of its name.
  std::ifstream of_case(EPOCHCAST_SOURCE_DIR "/tests/src/measure/progress/cases/n20_" + format +
                        ".txt");
  const bool has_lines = !lines.empty();
  for (std::string line; !has_lines && std::getline(of_case, line);) {
    lines.push_back(line);
  }
  return lines;
}

void expect_possible(const Rows& rows) {
  EXPECT_LE(rows.iterations.size(), most_rows);
  EXPECT_LE(rows.metrics.size(), most_rows);
  for (const auto& epoch : rows.epochs) {
    EXPECT_TRUE(epoch.epoch >= 0 && epoch.wall_s >= 0 && epoch.evaluate_s >= 0 &&
                std::isfinite(epoch.wall_s + epoch.start_s + epoch.evaluate_s));
  }
  for (const auto& step : rows.iterations) {
    EXPECT_TRUE(step.index >= 0 && step.step_s >= 0 && std::isfinite(step.step_s));
  }
  for (const auto& metric : rows.metrics) {
    EXPECT_TRUE(std::isfinite(metric.value));
  }
}

const std::vector<std::string>& pieces_of_formats() {
  static const std::vector<std::string> pieces{"Epoch ",    "1/3",     "[00:00<",
                                               "%|",        "it/s",    "nan",
                                               "1e308",     "-1",      "999999999999999",
                                               "━━━",       "{'",      "': ",
                                               "'epoch': ", "\xff",    "\x1b[A",
                                               "\r",        " - ",     "•",
                                               "| ",        "0/0",     "5/3",
                                               "inf",       "v_num=0", ":::MLLOG {",
                                               "\"",        "[",       "]",
                                               "00:00"};
  return pieces;
}

class FormatsFuzz : public testing::TestWithParam<std::string> {};

TEST_P(FormatsFuzz, DamagedLinesBecomeNothingImpossible) {
  const auto lines = lines_of(GetParam());
  ASSERT_FALSE(lines.empty()) << "write texts/" << GetParam() << ".cpp, or keep a capture";
  Damage damage(11, pieces_of_formats());
  const auto& spec = formats::all().at(GetParam());
  auto candidate = std::make_unique<Candidate>(GetParam(), spec, FormatOptions{});
  const int inputs = fuzz_inputs(5000);
  constexpr int lines_of_run = 2000;
  for (int i = 0; i < inputs && !HasFailure(); ++i) {
    const auto& whole = lines[std::size_t(i) % lines.size()];
    const auto text = damage.below(3) == 0 ? whole : damage.of(whole);
    const double at_s = 0.01 * i;
    candidate->read({.text = text, .at_s = at_s, .since_s = at_s, .timed = damage.below(2) == 0});
    if (i % lines_of_run == lines_of_run - 1) {
      candidate->rows().finish();
      expect_possible(candidate->rows().take());
      candidate = std::make_unique<Candidate>(GetParam(), spec, FormatOptions{});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, FormatsFuzz, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& [name, spec] : formats::all()) {
                             if (!spec.hints.empty()) {
                               names.push_back(name);
                             }
                           }
                           return names;
                         }()),
                         [](const auto& name) { return name.param; });

/// Bytes of any kind, cut anywhere, from one program after another.
TEST(OutputFuzz, DamagedOutputBecomesNothingImpossible) {
  std::vector<std::string> outputs;
  for (const auto& kept : kept_captures()) {
    std::string bytes;
    for (const auto& piece : read_capture(captures_folder() + kept.name + ".txt")) {
      bytes += piece.bytes;
    }
    outputs.push_back(bytes);
  }
  Damage damage(12, pieces_of_formats());
  for (int i = 0; i < fuzz_inputs(20'000) / 100 && !testing::Test::HasFailure(); ++i) {
    std::string bytes = outputs[damage.below(outputs.size())];
    for (int times = 0; times < 10; ++times) {
      bytes = damage.of(bytes);
    }
    Recognizer recognizer({});
    double at_s = 0;
    for (std::string_view left = bytes; !left.empty(); at_s += 0.001) {
      const auto size = std::min(left.size(), 1 + damage.below(4096));
      recognizer.read(Stream::terminal, left.substr(0, size), at_s);
      left.remove_prefix(size);
    }
    recognizer.finish(at_s);
    expect_possible(recognizer.take());
  }
}

}  // namespace
}  // namespace epochcast::progress
