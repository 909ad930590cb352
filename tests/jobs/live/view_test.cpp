// What keys do to the live view; no terminal is involved.
#include "jobs/live/view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jobs/live/made_snapshot.hpp"

namespace epochcast::jobs {
namespace {

using terminal::Key;
using terminal::KeyName;
using test::letter;
using testing::ElementsAre;
using testing::HasSubstr;

class LiveViewTest : public testing::Test {
 protected:
  Around around() const { return {snapshot_, rows_, log_first_, log_end_}; }
  void settle() { view_ = settled(std::move(view_), around()); }
  /// Presses the keys; returns what the last one asks for.
  Request press(const std::vector<Key>& keys) {
    Update update{view_};
    for (const auto& key : keys) {
      settle();
      update = handle(view_, key, around());
      view_ = update.view;
      asks_ = update.asks;
    }
    settle();
    return update.request;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto* row : rows_of(view_, snapshot_)) {
      names.push_back(row->status.point);
    }
    return names;
  }

  Snapshot snapshot_ = test::made_snapshot();
  View view_;
  int rows_ = 24;
  std::int64_t log_first_ = 0, log_end_ = 0;
  bool asks_ = false;
};

TEST_F(LiveViewTest, MovesTheSelectionWithinTheList) {
  settle();
  EXPECT_EQ(view_.selected, "a");
  press({letter("j"), {KeyName::down}});
  EXPECT_EQ(view_.selected, "c");
  press({letter("k"), {KeyName::up}, {KeyName::up}, {KeyName::up}});
  EXPECT_EQ(view_.selected, "a");
  press({letter("G")});
  EXPECT_EQ(view_.selected, "e");
  press({{KeyName::home}});
  EXPECT_EQ(view_.selected, "a");
}

TEST_F(LiveViewTest, ScrollsSoThatTheSelectionIsOnTheScreen) {
  rows_ = 8;  // two rows for the list
  press({letter("G")});
  EXPECT_EQ(view_.top, 3);
  press({letter("k"), letter("k")});
  EXPECT_EQ(view_.top, 2);
  rows_ = 24;
  settle();
  EXPECT_EQ(view_.top, 0) << "a larger window shows as much as it can";
}

TEST_F(LiveViewTest, TheSelectionStaysWithItsPointWhenTheOrderChanges) {
  press({letter("j")});
  snapshot_.points.erase(snapshot_.points.begin());
  settle();
  EXPECT_EQ(view_.selected, "b");
  press({letter("S")});
  EXPECT_EQ(view_.selected, "b");
  EXPECT_THAT(names(), ElementsAre("e", "d", "c", "b"));
}

TEST_F(LiveViewTest, SortsWithPointsWithoutAValueLast) {
  press({letter("s")});
  EXPECT_THAT(names(), ElementsAre("e", "b", "c", "a", "d")) << "by state";
  press({letter("s")});
  EXPECT_THAT(names(), ElementsAre("c", "b", "a", "d", "e")) << "by time left";
  press({letter("S")});
  EXPECT_THAT(names(), ElementsAre("b", "c", "a", "d", "e")) << "the other way round";
  press({letter("s"), letter("s")});
  EXPECT_THAT(names(), ElementsAre("b", "c", "a", "d", "e")) << "by loss";
  press({letter("s")});
  EXPECT_EQ(view_.sort_by, SortBy::point);
}

TEST_F(LiveViewTest, FiltersWhileTheTextIsTyped) {
  press({letter("/"), letter("R"), letter("u"), letter("n")});
  EXPECT_THAT(names(), ElementsAre("b", "c"));
  EXPECT_EQ(view_.selected, "b") << "the selection is one of the rows";
  press({letter("q")});
  EXPECT_EQ(view_.filter, "Runq") << "q is a letter here";
  EXPECT_THAT(names(), ElementsAre());
  press({{KeyName::backspace}, {KeyName::enter}});
  EXPECT_EQ(view_.mode, Mode::list);
  EXPECT_THAT(names(), ElementsAre("b", "c"));
  press({letter("/"), letter("x"), {KeyName::escape}});
  EXPECT_EQ(view_.filter, "Run") << "Escape brings the former one back";
  press({{KeyName::escape}});
  EXPECT_EQ(view_.filter, "");
}

TEST_F(LiveViewTest, BackspaceRemovesAWholeCharacter) {
  press({letter("/"), letter("é"), letter("日"), {KeyName::backspace}});
  EXPECT_EQ(view_.filter, "é");
}

TEST_F(LiveViewTest, CancelsOnlyAfterAYes) {
  press({letter("j")});
  EXPECT_EQ(press({letter("c")}), Request::none);
  EXPECT_EQ(view_.mode, Mode::ask_cancel);
  EXPECT_TRUE(asks_);
  EXPECT_EQ(press({letter("n")}), Request::none);
  EXPECT_EQ(view_.mode, Mode::list);
  EXPECT_EQ(press({letter("c"), {KeyName::enter}}), Request::none) << "Enter is no yes";
  EXPECT_EQ(press({letter("c"), letter("y")}), Request::cancel);
  EXPECT_EQ(view_.selected, "b");
}

TEST_F(LiveViewTest, OffersOnlyWhatAPointAllows) {
  press({letter("c")});
  EXPECT_EQ(view_.mode, Mode::list) << "a is complete";
  EXPECT_THAT(view_.message, HasSubstr("waits or runs"));
  press({letter("r")});
  EXPECT_EQ(view_.mode, Mode::list);
  EXPECT_THAT(view_.message, HasSubstr("ended early, is tainted or was disturbed"));
  snapshot_.points[0].status.tainted = "a neighbour";
  EXPECT_EQ(press({letter("r"), letter("y")}), Request::resubmit);
  snapshot_.points[0].status.tainted = "";
  snapshot_.points[0].status.disturbed = "a neighbour";
  EXPECT_EQ(press({letter("r"), letter("y")}), Request::resubmit);
  press({letter("j"), letter("j"), letter("j")});
  EXPECT_EQ(press({letter("r"), letter("y")}), Request::resubmit) << "d failed";
}

TEST_F(LiveViewTest, AQuestionIsNeverAnsweredForAnotherPoint) {
  press({letter("j"), letter("c")});
  snapshot_.points.erase(snapshot_.points.begin() + 1);
  settle();
  EXPECT_EQ(view_.mode, Mode::list);
  EXPECT_THAT(view_.message, HasSubstr("b is no longer in the list"));
  EXPECT_EQ(press({letter("y")}), Request::none);
}

TEST_F(LiveViewTest, NothingHappensToAPointThatTheFilterHides) {
  view_.filter = "no such point";
  EXPECT_EQ(press({letter("c"), letter("y")}), Request::none);
  EXPECT_EQ(press({letter("r"), letter("y")}), Request::none);
  EXPECT_EQ(press({{KeyName::enter}}), Request::none);
  EXPECT_EQ(selected_point(view_, snapshot_), nullptr);
}

TEST_F(LiveViewTest, OpensALogAndFollowsItUntilSomebodyScrolls) {
  EXPECT_EQ(press({{KeyName::enter}}), Request::open_log);
  EXPECT_EQ(view_.mode, Mode::log);
  rows_ = 12;  // ten lines of the log
  log_end_ = 100;
  settle();
  EXPECT_EQ(view_.log_top, 90);
  press({letter("k")});
  log_end_ = 200;
  settle();
  EXPECT_EQ(view_.log_top, 89) << "it stays where the reader is";
  press({letter("f")});
  EXPECT_EQ(view_.log_top, 190);
  log_end_ = 300;
  log_first_ = 250;
  settle();
  EXPECT_EQ(view_.log_top, 290);
  press({letter("g")});
  EXPECT_EQ(view_.log_top, 250) << "older lines are forgotten";
  press({{KeyName::right}, {KeyName::right}, {KeyName::left}});
  EXPECT_EQ(view_.log_left, 8);
  EXPECT_EQ(press({letter("q")}), Request::none) << "q leaves the log, not the view";
  EXPECT_EQ(view_.mode, Mode::list);
  EXPECT_EQ(press({letter("q")}), Request::quit);
}

TEST_F(LiveViewTest, SaysWhereThereIsNoLog) {
  press({letter("G")});
  EXPECT_EQ(press({letter("l")}), Request::none);
  EXPECT_EQ(view_.message, "e has no log yet");
}

TEST_F(LiveViewTest, AnyKeyLeavesTheHelp) {
  press({letter("?")});
  EXPECT_EQ(view_.mode, Mode::help);
  EXPECT_EQ(press({letter("q")}), Request::none);
  EXPECT_EQ(view_.mode, Mode::list);
}

TEST_F(LiveViewTest, AnEmptyFolderTakesEveryKey) {
  snapshot_.points.clear();
  for (const auto* key :
       {"j", "k", "G", "g", "s", "S", "c", "r", "l", "u", " ", "?", "y", "/", "y"}) {
    press({letter(key)});
  }
  for (const auto name : {KeyName::up, KeyName::page_down, KeyName::end, KeyName::enter,
                          KeyName::backspace, KeyName::other, KeyName::none}) {
    press({{name}});
  }
  EXPECT_EQ(view_.selected, "");
}

}  // namespace
}  // namespace epochcast::jobs
