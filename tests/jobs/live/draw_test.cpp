// The live view as cells.
#include "jobs/live/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jobs/live/made_snapshot.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using terminal::Style;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const terminal::Grid& grid) {
  std::string text;
  for (int row = 0; row < grid.size().rows; ++row) {
    text += grid.line(row) + "\n";
  }
  return text;
}

class LiveDrawTest : public testing::Test {
 protected:
  terminal::Grid drawn(terminal::Size size = {.rows = 16, .columns = 120}) {
    view_ = settled(std::move(view_), {snapshot_, size.rows});
    return draw(view_, snapshot_, nullptr, size);
  }
  /// The line of a point.
  std::string line_of(const std::string& point) {
    const auto grid = drawn();
    for (int row = 4; row < grid.size().rows; ++row) {
      if (grid.at(row, 2).text == point) {
        return grid.line(row);
      }
    }
    return "";
  }

  test::WithVariable zone_{"TZ", "UTC"};
  Snapshot snapshot_ = test::made_snapshot();
  View view_;
};

TEST_F(LiveDrawTest, ShowsALineForEachPoint) {
  EXPECT_THAT(line_of("b"), AllOf(HasSubstr("running"), HasSubstr("██▌░░░░░░░  25%"),
                                  HasSubstr("1/4"), HasSubstr("10m (8m–12m)"), HasSubstr("1.5")));
  EXPECT_THAT(line_of("c"), AllOf(HasSubstr("60s (50s–15m)"), HasSubstr("loss_d 0.5")));
  EXPECT_THAT(line_of("d"), AllOf(HasSubstr("failed"), HasSubstr("out of memory")));
  EXPECT_THAT(text_of(drawn()), Not(HasSubstr("GPU"))) << "no record says anything about it";
}

TEST_F(LiveDrawTest, ShowsUseWhereRecordsHaveIt) {
  snapshot_.points[1].use = {.cpu = 0.978, .gpu = std::nullopt};
  EXPECT_THAT(line_of("b"), HasSubstr("97%"));
  EXPECT_THAT(text_of(drawn()), AllOf(HasSubstr("CPU"), Not(HasSubstr("GPU"))));
}

TEST_F(LiveDrawTest, ShowsTheRatesOfTheNewestStepsAndDoubtsAnImpossibleOne) {
  EXPECT_THAT(text_of(drawn()), Not(HasSubstr("tokens/s"))) << "no record shows any";
  auto& rates = snapshot_.points[1].status.progress.rates;
  rates = {.samples_per_s = 12.25, .tokens_per_s = 25088, .model_flops_per_s = 1.5e14, .mfu = 0.48};
  const auto text = text_of(drawn({.rows = 16, .columns = 160}));
  EXPECT_THAT(text, HasSubstr("samples/s  tokens/s  TFLOP/s  MFU %"));
  EXPECT_THAT(text, HasSubstr("     12.2     25088   150.00   48.0"));
  EXPECT_THAT(text, Not(HasSubstr("right?")));
  rates.mfu = 1.4;
  EXPECT_THAT(text_of(drawn({.rows = 16, .columns = 220})),
              HasSubstr("MFU of 140 %: are the device, its number and the parameters right?"));
}

TEST_F(LiveDrawTest, WarnsOfTheTimeLimit) {
  snapshot_.points[1].status.progress.job_left_s = 300;
  EXPECT_THAT(line_of("b"), HasSubstr("time limit in 0:05:00, needs about 0:10:00"));
  snapshot_.points[1].status.progress.job_left_s = 900;
  EXPECT_THAT(line_of("b"), Not(HasSubstr("time limit")));
}

TEST_F(LiveDrawTest, TheHeaderSumsUp) {
  const auto text = text_of(drawn());
  EXPECT_THAT(text, HasSubstr("out/made"));
  // (1 + 0.25 + 0.75 + 1 + 0) / 5
  EXPECT_THAT(text, HasSubstr("60%  5 points: 1 complete, 2 running, 1 pending, 1 failed"));
  // 1800000000 is 08:00:00; the last one by each bound of the interval
  EXPECT_THAT(text,
              HasSubstr("running jobs end about 08:10 (95 %: 08:08:20 to 08:15); 1 not started"));
}

TEST_F(LiveDrawTest, SaysWhatIsNotKnown) {
  snapshot_.points[2].status.progress.left_s.reset();
  EXPECT_THAT(text_of(drawn()), HasSubstr("too early to say when the running jobs end"));
  snapshot_.points = {snapshot_.points[0]};
  EXPECT_THAT(text_of(drawn()), HasSubstr("no job is pending or running"));
  snapshot_ = {.folder = "out/made"};
  EXPECT_THAT(text_of(drawn()), HasSubstr("reading the records"));
}

TEST_F(LiveDrawTest, NamesAreCutBeforeNumbersAndWordsBeforeNames) {
  snapshot_.points[1].status.point = "a_name_that_is_long_enough_to_fill_half_of_a_narrow_terminal";
  snapshot_.points[1].status.reason = "because";
  const auto wide = text_of(drawn({.rows = 16, .columns = 160}));
  EXPECT_THAT(wide, AllOf(HasSubstr("narrow_terminal  running"), HasSubstr("out of memory")));
  const auto narrow = text_of(drawn({.rows = 16, .columns = 80}));
  EXPECT_THAT(narrow, AllOf(HasSubstr("a_name_that_is_long_enough_"), HasSubstr("10m (8m–12m)"),
                            HasSubstr("  25%"), Not(HasSubstr("██▌")), HasSubstr("1.5"),
                            Not(HasSubstr("out of memory"))));
}

TEST_F(LiveDrawTest, EveryLineFitsEverySize) {
  for (int rows = 0; rows < 30; ++rows) {
    for (int columns = 0; columns < 140; columns += 7) {
      for (const auto mode : {Mode::list, Mode::help, Mode::filter, Mode::ask_cancel, Mode::log}) {
        view_.mode = mode;
        const auto grid = drawn({.rows = rows, .columns = columns});
        EXPECT_EQ(grid.size(), (terminal::Size{rows, columns}));
      }
    }
  }
}

TEST_F(LiveDrawTest, AsksForThePointByName) {
  view_.selected = "b";
  view_.mode = Mode::ask_cancel;
  EXPECT_THAT(text_of(drawn()), HasSubstr("Cancel the job of b? y/n"));
  snapshot_.points[1].status.points_of_job = 3;
  EXPECT_THAT(text_of(drawn()), HasSubstr("End only b? Other points of its job 7 go on. y/n"));
  view_.mode = Mode::ask_resubmit;
  EXPECT_THAT(text_of(drawn()), HasSubstr("Submit b again? y/n"));
}

TEST_F(LiveDrawTest, HostileTextsStayTexts) {
  auto& status = snapshot_.points[1].status;
  status.swept = "host=\x1b]0;owned\x07";
  status.reason = "<script>alert(1)</script>\n\u009b2J\u202e";
  status.progress.loss_name = "\x1b[31mloss";
  view_.message = "\x1b[2J";
  const auto text = text_of(drawn({.rows = 16, .columns = 220}));
  EXPECT_THAT(text,
              AllOf(HasSubstr("host=\\x1b]0;owned\\x07"),
                    HasSubstr("<script>alert(1)</script>\\n\\u009b2J\\u202e"),
                    HasSubstr("\\x1b[31mloss 1.5"), HasSubstr("\\x1b[2J"), Not(HasSubstr("\x1b"))));
}

TEST_F(LiveDrawTest, TheLogShowsItsLinesFromWhereTheReaderIs) {
  const test::TempFolder folder;
  const LogTail log(folder.write("log", "first\nsecond \x1b[31mred\n\tthird\n"));
  view_ = {.mode = Mode::log, .selected = "b", .log_follows = false};
  const terminal::Size size{.rows = 10, .columns = 120};
  view_ = settled(std::move(view_), {snapshot_, size.rows, log.first(), log.end()});
  const auto grid = draw(view_, snapshot_, &log, size);
  EXPECT_THAT(grid.line(0), testing::StartsWith("b  "));
  EXPECT_EQ(grid.line(1), "first");
  EXPECT_EQ(grid.line(2), "second \\x1b[31mred");
  EXPECT_EQ(grid.line(3), "        third");
  EXPECT_THAT(grid.line(9), HasSubstr("lines 1 to 3 of 3"));
}

TEST(LiveTexts, DurationsHaveTwoUnitsAtMost) {
  EXPECT_EQ(short_duration(-1), "0s");
  EXPECT_EQ(short_duration(119.4), "119s");
  EXPECT_EQ(short_duration(3599), "1h00m") << "never 60m";
  EXPECT_EQ(short_duration(4320), "1h12m");
  EXPECT_EQ(short_duration(90000), "1d01h");
}

TEST(LiveTexts, BarsAreAsLongAsTheirShare) {
  EXPECT_EQ(bar_text(0, 4), "░░░░");
  EXPECT_EQ(bar_text(0.5, 4), "██░░");
  EXPECT_EQ(bar_text(0.625, 4), "██▌░");
  EXPECT_EQ(bar_text(7, 4), "████");
}

}  // namespace
}  // namespace epochcast::jobs
