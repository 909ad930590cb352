#include "src/training/ranks/heartbeat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>

#include "tests/src/training/ranks/team_of_threads.hpp"

namespace epochcast::ranks {
namespace {

using testing::HasSubstr;
constexpr double long_s = 600;

std::unique_ptr<Heartbeat> joined(std::int64_t rank, std::int64_t size, std::int64_t port,
                                  const HeartbeatTimes& times = {}) {
  return std::make_unique<Heartbeat>(
      made_member(rank), join_run(place_of(rank, size, port), made_member(rank), made_terms()),
      times);
}

std::string wait_for_loss(const Heartbeat& heartbeat) {
  while (!heartbeat.loss()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return heartbeat.loss()->text;
}

TEST(Heartbeat, LetsRanksLeaveTogether) {
  const auto port = unused_port();
  std::atomic<int> left = 0;
  const auto texts = run_ranks(3, [&](std::int64_t rank) {
    const auto heartbeat = joined(rank, 3, port);
    heartbeat->leave();
    ++left;
  });
  EXPECT_EQ(texts, std::vector<std::string>(3));
  EXPECT_EQ(left, 3);
}

TEST(Heartbeat, ReportsALostRankToAllRanks) {
  const auto port = unused_port();
  std::array<std::string, 4> losses;
  std::latch all_joined(4);
  run_ranks(4, [&](std::int64_t rank) {
    auto heartbeat = joined(rank, 4, port);
    all_joined.arrive_and_wait();
    if (rank == 2) {
      heartbeat.reset();  // its connection closes, as that of a process that was killed
      return;
    }
    losses[static_cast<std::size_t>(rank)] = wait_for_loss(*heartbeat);
  });
  const std::string text =
      "rank 2 on node2 (process 102) is gone: its process ended without a report";
  EXPECT_EQ(losses, (std::array<std::string, 4>{text, text, "", text}));
}

TEST(Heartbeat, ReportsARankThatSendsNoHeartbeat) {
  const auto port = unused_port();
  std::array<std::string, 2> losses;
  std::latch seen(2);
  run_ranks(3, [&](std::int64_t rank) {
    const bool is_stopped = rank == 1;  // it is there, but does not beat
    const auto heartbeat = joined(
        rank, 3, port, {.beat_s = is_stopped ? long_s : 0.1, .silence_s = 5, .grace_s = long_s});
    if (!is_stopped) {
      losses[rank == 0 ? 0 : 1] = wait_for_loss(*heartbeat);
      seen.count_down();
    }
    seen.wait();
  });
  EXPECT_EQ(losses[0],
            "rank 1 on node1 (process 101) sent no heartbeat for 5s: it is stopped, or its node "
            "or network is down");
  EXPECT_EQ(losses[1], losses[0]);
}

/// A rank on the same host may end a stopped one before the others mark it as lost.
TEST(Heartbeat, NamesSilenceBeforeTheEndAsTheCause) {
  const auto port = unused_port();
  std::string loss;
  run_ranks(2, [&](std::int64_t rank) {
    const bool is_stopped = rank == 0;
    auto heartbeat = joined(rank, 2, port,
                            {.beat_s = is_stopped ? long_s : 0.1,
                             .silence_s = long_s,
                             .doubt_s = 0.1,
                             .grace_s = long_s});
    if (is_stopped) {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      heartbeat.reset();
      return;
    }
    loss = wait_for_loss(*heartbeat);
  });
  EXPECT_EQ(loss,
            "rank 0 on node0 (process 100) sent no heartbeat for 0.1s and then ended: it was "
            "stopped");
}

TEST(Heartbeat, CarriesTextAndCauseOfTheRankThatFails) {
  const auto port = unused_port();
  std::array<Failure, 3> failures;
  std::latch reported(3);
  run_ranks(3, [&](std::int64_t rank) {
    const auto heartbeat = joined(rank, 3, port);
    auto& failure = failures[static_cast<std::size_t>(rank)];
    if (rank == 1) {
      failure = heartbeat->fail({"no memory left", run::FailureCause::out_of_memory});
    } else {
      wait_for_loss(*heartbeat);
      failure = heartbeat->fail({"connection reset by peer"});
    }
    reported.arrive_and_wait();
  });
  for (const auto& failure : failures) {
    EXPECT_EQ(failure.text, "rank 1 on node1 (process 101): no memory left");
    EXPECT_EQ(failure.cause, run::FailureCause::out_of_memory);
  }
}

TEST(Heartbeat, ReportsTheCauseInsteadOfItsEffects) {
  const auto port = unused_port();
  std::array<std::string, 3> texts;
  std::latch joined_all(3);
  std::latch reported(2);
  run_ranks(3, [&](std::int64_t rank) {
    auto heartbeat = joined(rank, 3, port);
    joined_all.arrive_and_wait();
    if (rank == 1) {
      heartbeat.reset();
      return;
    }
    texts[static_cast<std::size_t>(rank)] = heartbeat->fail({"connection reset by peer"}).text;
    reported.arrive_and_wait();
  });
  EXPECT_THAT(texts[0], HasSubstr("rank 1 on node1 (process 101) is gone"));
  EXPECT_EQ(texts[2], texts[0]);
}

TEST(Heartbeat, DetectsTheEndOfRankZero) {
  const auto port = unused_port();
  bool ended = false;
  run_ranks(2, [&](std::int64_t rank) {
    auto heartbeat = joined(rank, 2, port);
    if (rank == 0) {
      heartbeat.reset();
      return;
    }
    EXPECT_THAT(wait_for_loss(*heartbeat), HasSubstr("rank 0 on node0 (process 100) is gone"));
    ended = heartbeat->first_ends(long_s);
  });
  EXPECT_TRUE(ended);
}

TEST(Heartbeat, CallsTheHandlerOnce) {
  const auto port = unused_port();
  std::atomic<int> calls = 0;
  std::string told;
  run_ranks(2, [&](std::int64_t rank) {
    auto heartbeat = joined(rank, 2, port);
    if (rank == 1) {
      heartbeat.reset();
      return;
    }
    wait_for_loss(*heartbeat);
    heartbeat->on_loss([&](const std::string& text) {
      told = text;
      ++calls;
    });
    while (calls == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(600));  // three turns of its thread
  });
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(told, HasSubstr("rank 1 on node1"));
}

}  // namespace
}  // namespace epochcast::ranks
