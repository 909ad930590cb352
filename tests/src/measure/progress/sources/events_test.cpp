#include "src/measure/progress/sources/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>

#include "src/measure/progress/sources/event.hpp"
#include "src/measure/progress/sources/event_reader.hpp"
#include "tests/files.hpp"
#include "tests/fuzz.hpp"
#include "tests/src/measure/progress/sources/shown.hpp"

namespace epochcast::progress::sources {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t second_ns = 1'000'000'000;
const ClockZero zero_at_100_s{.monotonic_ns = 100 * second_ns};

TEST(EventEpochs, OfATrainingThatGoesOnFollowTheLast) {
  EventEpochs epochs;
  const auto number = [&](EventKind kind, std::optional<std::int64_t> stated) {
    Event event{.kind = kind, .epoch = stated};
    epochs.complete(event);
    return event.epoch;
  };
  epochs.begin({}, true);
  EXPECT_FALSE(epochs.between());
  EXPECT_EQ(number(EventKind::epoch_begin, 4), 4);
  epochs.begin({}, true);
  EXPECT_TRUE(epochs.between());
  EXPECT_EQ(number(EventKind::epoch_begin, 0), 5);
  EXPECT_EQ(number(EventKind::epoch_end, {}), 5);
  epochs.begin({}, false);
  EXPECT_EQ(number(EventKind::epoch_begin, 4), 4);
}

TEST(EventWriter, IsTheFirstUntilRank0BeginsATraining) {
  EventWriter writer;
  writer.take({.kind = EventKind::train_begin, .pid = 1});
  EXPECT_EQ(writer.objection({.kind = EventKind::step, .pid = 2}),
            "events of other processes are left out");
  const Event begin{.kind = EventKind::train_begin, .rank = 0, .pid = 2};
  EXPECT_EQ(writer.objection(begin), "");
  EXPECT_FALSE(writer.goes_on(begin));
  writer.take(begin);
  EXPECT_EQ(writer.objection({.kind = EventKind::step, .pid = 2}), "");
  writer.take({.kind = EventKind::train_end, .pid = 2});
  EXPECT_EQ(writer.objection({.kind = EventKind::step, .pid = 2}),
            "events after the end of the training are left out");
  EXPECT_TRUE(writer.goes_on({.kind = EventKind::train_begin, .pid = 3}));
}

class Events : public ::testing::Test {
 protected:
  void write(const std::string& text) {
    std::ofstream(path_, std::ios::binary | std::ios::app) << text;
  }
  std::vector<std::string> read(double now_s) { return shown(source_->read(now_s)); }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "events.jsonl";
  std::unique_ptr<Source> source_ = follow_events(path_, zero_at_100_s);
};

TEST(Event, HoldsWhatTheLineStates) {
  const auto event = parse_event(
      R"({"event":"step","epoch":2,"epochs":10,"step":5,"steps":100,"samples":32,"time_ns":123,)"
      R"("rank":0,"pid":77,"metrics":{"loss":0.5,"text":"x","nothing":null},"of_later":{"a":[1]}})");
  EXPECT_EQ(event.kind, EventKind::step);
  EXPECT_EQ(event.epoch, 2);
  EXPECT_EQ(event.epochs, 10);
  EXPECT_EQ(event.step, 5);
  EXPECT_EQ(event.steps, 100);
  EXPECT_EQ(event.samples, 32);
  EXPECT_EQ(event.time_ns, 123);
  EXPECT_EQ(event.rank, 0);
  EXPECT_EQ(event.pid, 77);
  ASSERT_EQ(event.metrics.size(), 1U);
  EXPECT_EQ(event.metrics[0].name, "loss");
}

TEST(Event, TakesWhatPythonWritesForNumbersThatJsonLacks) {
  const auto event = parse_event(
      R"({"event":"metrics","metrics":{"NaN":1,"a\"":NaN,"b":-Infinity,"c":Infinity,"d":"nan"}})");
  ASSERT_EQ(event.metrics.size(), 5U);
  EXPECT_EQ(event.metrics[0].name, "NaN");
  EXPECT_TRUE(std::isnan(event.metrics[1].value));
  EXPECT_EQ(event.metrics[2].value, -INFINITY);
  EXPECT_EQ(event.metrics[3].value, INFINITY);
  EXPECT_TRUE(std::isnan(event.metrics[4].value));
}

TEST(Event, NamesWhatIsWrong) {
  const auto wrong = [](const char* line) { return error_of([&] { parse_event(line); }); };
  EXPECT_EQ(wrong(R"({"event":"epoch_ends"})"),
            "unknown event \"epoch_ends\"; did you mean 'epoch_end'?");
  EXPECT_EQ(wrong(R"({"event":"step","step":-1})"),
            "step: found -1, expected a whole number from 0");
  EXPECT_EQ(wrong(R"({"event":"step","epoch":"3"})"),
            "epoch: found \"3\", expected a whole number from 0");
  EXPECT_EQ(wrong("[1]"), "the line is no JSON object");
  EXPECT_EQ(wrong("{}"), R"(found no "event":"NAME")");
  EXPECT_THAT(wrong("{\"event\":"), HasSubstr("no JSON"));
}

TEST_F(Events, HaveTheirOwnTimeOnTheClockOfTheRecord) {
  EXPECT_THAT(read(0), IsEmpty());  // there is no file yet
  write(R"({"event":"epoch_begin","epoch":0,"time_ns":101500000000})"
        "\n"
        R"({"event":"epoch_end","epoch":0,"time_ns":103000000000,"metrics":{"loss":2}})"
        "\n");
  EXPECT_THAT(read(5), ElementsAre("1.5 begin 0", "3 end 0 loss=2"));
  write(R"({"event":"train_end"})"
        "\n");  // no time: that of reading
  EXPECT_THAT(read(7), ElementsAre("7 end of run 0"));
  EXPECT_THAT(source_->remarks(), IsEmpty());
}

TEST_F(Events, MayComeInPieces) {
  const std::string line = R"({"event":"epoch_end","epoch":4,"time_ns":101000000000})"
                           "\n";
  for (const char byte : line.substr(0, line.size() - 1)) {
    write({byte});
    EXPECT_THAT(read(2), IsEmpty());
  }
  write("\n");
  EXPECT_THAT(read(2), ElementsAre("1 end 4"));
  write(line.substr(0, line.size() - 1));  // the program dies before it has written the line end
  EXPECT_THAT(read(3), IsEmpty());
  EXPECT_THAT(shown(source_->finish(3)), ElementsAre("1 end 4"));
}

TEST_F(Events, DamagedLinesAreCountedAndNamed) {
  write("{\"event\":\"epoch_e\n\n\x80\xff\n{\"event\":\"epoch_end\",\"epoch\":1}\n" +
        std::string(3 << 20, 'x') + "\n{\"event\":\"epoch_end\",\"epoch\":2}\n");
  std::vector<std::string> all;
  for (int i = 0; i < 6; ++i) {
    for (const auto& text : read(1)) {
      all.push_back(text);
    }
  }
  EXPECT_THAT(all, ElementsAre("1 end 1", "1 end 2"));
  EXPECT_THAT(
      source_->remarks(),
      ElementsAre(path_ + ": 3 lines are no events; the first: line 1: the line: is no JSON at its "
                          "byte 18"));
}

TEST_F(Events, ATruncatedFileIsReadFromItsStart) {
  write("{\"event\":\"epoch_end\",\"epoch\":0}\n{\"event\":\"epoch_en");
  EXPECT_THAT(read(1), ElementsAre("1 end 0"));
  set_bytes(path_, "{\"event\":\"metrics\"}\n");
  EXPECT_THAT(read(2), ElementsAre("2 0"));
  EXPECT_THAT(source_->remarks(), ElementsAre(HasSubstr("truncated")));
  std::filesystem::rename(path_, folder_ / "old");
  write("{\"event\":\"epoch_end\",\"epoch\":1}\n{\"event\":\"epoch_end\",\"epoch\":2}\n");
  EXPECT_THAT(read(3), ElementsAre("3 end 1", "3 end 2"));
}

TEST_F(Events, APipeOrAFolderIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(read(1), IsEmpty());
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(read(2), IsEmpty());
  EXPECT_THAT(shown(source_->finish(2)), IsEmpty());
}

TEST_F(Events, OnlyOneProcessCounts) {
  write(R"({"event":"train_begin","pid":5,"epochs":3})"
        "\n"
        R"({"event":"train_begin","pid":6,"epochs":3})"
        "\n"
        R"({"event":"epoch_begin","pid":6,"epoch":0})"
        "\n"
        R"({"event":"epoch_begin","pid":5,"epoch":0})"
        "\n"
        R"({"event":"epoch_begin","pid":7,"epoch":0,"rank":1})"
        "\n");
  const auto readings = source_->read(1);
  EXPECT_THAT(shown(readings), ElementsAre("1 begin 0"));
  EXPECT_EQ(readings.at(0).reading.epochs, 3);
  EXPECT_THAT(source_->remarks(), ElementsAre(HasSubstr("2 events of other processes")));
}

TEST_F(Events, RankZeroCountsBeforeAllOthersAlsoAfterARestart) {
  write(R"({"event":"metrics","pid":5})"
        "\n"
        R"({"event":"epoch_begin","pid":6,"rank":0,"epoch":0})"
        "\n"
        R"({"event":"epoch_begin","pid":5,"epoch":0})"
        "\n"
        R"({"event":"epoch_begin","pid":8,"rank":0,"epoch":7})"
        "\n"
        R"({"event":"train_begin","pid":9,"rank":0})"
        "\n"
        R"({"event":"epoch_begin","pid":9,"rank":0,"epoch":0})"
        "\n");
  EXPECT_THAT(read(1), ElementsAre("1 -1", "1 begin 0", "1 begin 0"));
}

/// Lines with the names of events, and what else they hold.
std::string lines_of(const std::vector<std::string>& events) {
  std::string text;
  for (const auto& event : events) {
    text += R"({"event":")" + event + "}\n";
  }
  return text;
}

TEST_F(Events, ASecondTrainingCountsOn) {
  write(lines_of({R"(train_begin","epochs":2,"pid":5)", R"(epoch_end","epoch":0,"pid":5)",
                  R"(epoch_end","epoch":1,"pid":5)", R"(train_end","pid":5)",
                  R"(epoch_end","epoch":9,"pid":5)", R"(evaluate_begin","epoch":1,"pid":5)",
                  R"(train_begin","epochs":3,"pid":5)", R"(evaluate_end","epoch":0,"pid":5)",
                  R"(epoch_begin","epoch":0,"pid":5)", R"(evaluate_begin","epoch":0,"pid":5)",
                  R"(epoch_end","epoch":0,"pid":5)"}));
  const auto readings = source_->read(1);
  EXPECT_THAT(shown(readings), ElementsAre("1 end 0", "1 end 1", "1 end of run 1", "1 begin 2",
                                           "1 evaluate 2 step 0", "1 end 2"));
  EXPECT_EQ(readings[0].reading.epochs, 2);
  EXPECT_EQ(readings[3].reading.epochs, 5);
  EXPECT_THAT(source_->remarks(), ElementsAre(HasSubstr("1 events after the end of the training")));
}

TEST_F(Events, ATrainingOfAnotherProcessCountsOnAfterTheFirst) {
  write(lines_of({R"(train_begin","pid":5)", R"(epoch_end","epoch":0,"pid":5)",
                  R"(train_begin","pid":6)", R"(train_end","pid":5)", R"(train_begin","pid":7)",
                  R"(epoch_begin","epoch":4,"pid":7)", R"(epoch_end","epoch":4,"pid":7)"}));
  EXPECT_THAT(read(1), ElementsAre("1 end 0", "1 end of run 0", "1 begin 1", "1 end 1"));
  EXPECT_THAT(source_->remarks(), ElementsAre(HasSubstr("1 events of other processes")));
}

TEST_F(Events, AnEpochThatIsLeftHasNoNumber) {
  write(lines_of({R"(epoch_begin","epoch":0)", R"(epoch_drop")", R"(epoch_begin")"}));
  const auto readings = source_->read(1);
  EXPECT_THAT(shown(readings), ElementsAre("1 begin 0", "1 end of run 0", "1 begin 0"));
  EXPECT_TRUE(readings[1].reading.drops_open);
}

TEST_F(Events, ANoteIsToldOnce) {
  write(lines_of({R"(note","text":"a loader\nwas left")", R"(note","text":"a loader\nwas left")"}));
  EXPECT_THAT(read(1), IsEmpty());
  EXPECT_THAT(source_->remarks(), ElementsAre(HasSubstr("was left")));
}

TEST_F(Events, AreOfTheEpochThatRunsWhereTheyStateNone) {
  write(R"({"event":"metrics"})"
        "\n"
        R"({"event":"epoch_begin"})"
        "\n"
        R"({"event":"step","step":1})"
        "\n"
        R"({"event":"epoch_end"})"
        "\n"
        R"({"event":"evaluate_begin"})"
        "\n"
        R"({"event":"evaluate_end"})"
        "\n"
        R"({"event":"step","step":1})"
        "\n"
        R"({"event":"epoch_end"})"
        "\n"
        R"({"event":"epoch_end","epoch":7})"
        "\n"
        R"({"event":"epoch_end"})"
        "\n");
  EXPECT_THAT(read(1),
              ElementsAre("1 -1", "1 begin 0", "1 0 step 1", "1 end 0", "1 evaluate 0 step 0",
                          "1 0", "1 1 step 1", "1 end 1", "1 end 7", "1 end 8"));
}

TEST_F(Events, OfAnEarlierRunAreLeftOut) {
  write(R"({"event":"epoch_end","epoch":0,"time_ns":101000000000})"
        "\n");
  source_ = follow_events(path_, zero_at_100_s);
  write(R"({"event":"epoch_end","epoch":1,"time_ns":102000000000})"
        "\n");
  EXPECT_THAT(read(3), ElementsAre("2 end 1"));
}

TEST_F(Events, ATimeThatCannotBeIsReplaced) {
  write(R"({"event":"epoch_end","epoch":0,"time_ns":102000000000})"
        "\n"
        R"({"event":"epoch_end","epoch":1,"time_ns":1000000000000})"
        "\n");
  EXPECT_THAT(read(3), ElementsAre("2 end 0", "3 end 1"));
  write(R"({"event":"epoch_end","epoch":2,"time_ns":0})"
        "\n"
        R"({"event":"epoch_end","epoch":3,"time_ns":18446744073709551615})"
        "\n");
  EXPECT_THAT(read(4), ElementsAre("4 end 2", "4 end 3"));
  EXPECT_THAT(source_->remarks(), ElementsAre(HasSubstr("2 times are before the last event")));
}

TEST_F(Events, OfAWholeFileAreInTheOrderOfTheirTimes) {
  set_bytes(path_, R"({"event":"epoch_begin","epoch":0,"time_ns":5000000000})"
                   "\n"
                   R"({"event":"epoch_end","epoch":0,"time_ns":7000000000})"
                   "\n"
                   R"({"event":"epoch_begin","epoch":1,"time_ns":9907000000000})"
                   "\n"
                   R"({"event":"epoch_end","epoch":1,"time_ns":9500000000})"
                   "\n"
                   R"({"event":"epoch_begin","epoch":2})"
                   "\n"
                   R"({"event":"epoch_end","epoch":2,"time_ns":12000000000})");
  const auto stored = read_events(path_);
  EXPECT_THAT(shown(stored.readings), ElementsAre("0 begin 0", "2 end 0", "4.5 end 1", "7 end 2"));
  EXPECT_THAT(stored.remarks,
              ElementsAre(HasSubstr("1 events have no time"), HasSubstr(": 1 event")));
  EXPECT_THAT(error_of([&] { read_events(folder_ / "none"); }), HasSubstr("none"));
}

TEST(EventsFuzz, DamagedFilesNeverStopTheReader) {
  const TemporaryFolder folder;
  const auto path = folder / "events.jsonl";
  const std::string whole =
      R"({"event":"train_begin","epochs":3,"time_ns":101000000000,"pid":5,"rank":0})"
      "\n"
      R"({"event":"epoch_begin","epoch":0,"time_ns":101000000001,"pid":5})"
      "\n"
      R"({"event":"step","epoch":0,"step":1,"steps":9,"metrics":{"loss":NaN,"a":"inf"}})"
      "\n"
      R"({"event":"epoch_end","epoch":0,"samples":10,"time_ns":102000000000,"pid":5})"
      "\n";
  epochcast::tests::Damage damage(
      19, {"\n", "{", "}", "\"event\":", "\"step\"", "NaN", "-Infinity", "1e400",
           "18446744073709551615", "-1", "\\u0000", "[[[[[[[[[[", "\"", ","});
  std::size_t read = 0;
  std::int64_t damaged = 0;
  for (auto left = epochcast::tests::fuzz_inputs(5000); left > 0; --left) {
    const auto bytes = damage.of(whole);
    EventReader reader(zero_at_100_s);
    LineBuffer lines(1 << 20);
    double last_s = 0;
    const auto take = [&](const FileLine& line) {
      if (const auto reading = reader.read(line, 10)) {
        ASSERT_TRUE(reading->at_s >= last_s && reading->at_s <= 10) << reading->at_s;
        last_s = reading->at_s;
        ++read;
      }
    };
    lines.add(bytes, take);
    lines.finish(take);
    damaged += reader.remarks().count();
    if (left % 100 == 0) {
      set_bytes(path, bytes);
      for (const auto& reading : read_events(path).readings) {
        ASSERT_TRUE(std::isfinite(reading.at_s) && reading.at_s >= 0);
      }
    }
  }
  EXPECT_GT(read, 0U);
  EXPECT_GT(damaged, 0);
}

}  // namespace
}  // namespace epochcast::progress::sources
