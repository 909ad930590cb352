#include <gtest/gtest.h>

#include "src/training/ranks/line_socket.hpp"

namespace epochcast::ranks {
namespace {

struct Ends {
  Session caller{End::caller, "secret", "one", "two"};
  Session rank_zero{End::rank_zero, "secret", "one", "two"};
};

TEST(Session, OpensWhatTheOtherEndSealed) {
  Ends ends;
  for (const std::string text : {"alive", "", "a\ttab and a blank "}) {
    EXPECT_EQ(ends.rank_zero.open(ends.caller.seal(text)), text);
    EXPECT_EQ(ends.caller.open(ends.rank_zero.seal(text)), text);
  }
}

TEST(Session, DoesNotOpenALineThatWasRepeatedSwappedLeftOutOrChanged) {
  Ends repeated;
  const auto line = repeated.caller.seal("alive");
  EXPECT_TRUE(repeated.rank_zero.open(line));
  EXPECT_FALSE(repeated.rank_zero.open(line));
  Ends left_out;
  left_out.caller.seal("fail");
  EXPECT_FALSE(left_out.rank_zero.open(left_out.caller.seal("alive")));
  Ends sent_back;
  EXPECT_FALSE(sent_back.caller.open(sent_back.caller.seal("alive")));
  for (std::size_t at = 0; at < line.size(); ++at) {
    Ends changed;
    auto other = changed.caller.seal("alive");
    other[at] = other[at] == 'x' ? 'y' : 'x';
    EXPECT_EQ(changed.rank_zero.open(other).has_value(), at == 64)
        << "only the blank is not proved";
    EXPECT_FALSE(Ends().rank_zero.open(line.substr(0, at)));
  }
}

TEST(Session, DoesNotOpenALineOfAnotherSecretOrOtherNonces) {
  const auto line = Ends().caller.seal("alive");
  EXPECT_FALSE(Session(End::rank_zero, "another", "one", "two").open(line));
  EXPECT_FALSE(Session(End::rank_zero, "secret", "three", "two").open(line));
  EXPECT_FALSE(Session(End::rank_zero, "secret", "one", "three").open(line));
}

}  // namespace
}  // namespace epochcast::ranks
