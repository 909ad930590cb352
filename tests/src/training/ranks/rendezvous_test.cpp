#include "src/training/ranks/rendezvous.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>

#include "tests/files.hpp"
#include "tests/src/training/ranks/team_of_threads.hpp"

namespace epochcast::ranks {
namespace {

using testing::HasSubstr;

TEST(Rendezvous, SendsMembersAndWelcomeToEveryRank) {
  const auto port = unused_port();
  std::vector<Rendezvous> rendezvous(4);
  const auto texts = run_ranks(4, [&](std::int64_t rank) {
    rendezvous[static_cast<std::size_t>(rank)] =
        join_run(place_of(rank, 4, port), made_member(rank),
                 {.secret = made_terms().secret, .welcome = "5 a path", .timeout_s = 60});
  });
  EXPECT_EQ(texts, std::vector<std::string>(4));
  for (const auto& each : rendezvous) {
    ASSERT_EQ(each.members.size(), 4u);
    EXPECT_EQ(to_text(each.members[2]), "rank 2 on node2 (process 102)");
    EXPECT_EQ(each.welcome, "5 a path");
    EXPECT_EQ(each.address, "127.0.0.1");
  }
  EXPECT_EQ(rendezvous[0].links.size(), 3u);
  EXPECT_EQ(rendezvous[3].links.size(), 1u);
}

TEST(Rendezvous, FailsOnAllRanksIfVersionsOrConfigurationsDiffer) {
  struct Case {
    std::function<void(Member&)> change;
    std::string text;
  };
  const std::vector<Case> cases{{[](Member& member) { member.program = "epochcast 2"; },
                                 "rank 1 on node1 (process 101) has epochcast 2, rank 0 on node0 "
                                 "(process 100) has epochcast 1; expected the same "
                                 "on all ranks"},
                                {[](Member& member) { member.configuration.back() = "batch=16"; },
                                 "rank 1 on node1 (process 101) has batch=16, rank 0 on node0 "
                                 "(process 100) has batch=8; expected the same on all "
                                 "ranks"}};
  for (const auto& [change, text] : cases) {
    const auto port = unused_port();
    const auto texts = run_ranks(2, [&](std::int64_t rank) {
      auto member = made_member(rank);
      if (rank == 1) {
        change(member);
      }
      join_run(place_of(rank, 2, port), member, made_terms());
    });
    EXPECT_EQ(texts, (std::vector<std::string>{text, "reported by peer: " + text}));
  }
}

// Without this check they would wait for each other in the network library, which has no timeout.
TEST(Rendezvous, FailsOnAllRanksIfTheirNumbersOfRanksDiffer) {
  const auto port = unused_port();
  const auto texts = run_ranks(2, [&](std::int64_t rank) {
    join_run(place_of(rank, rank == 0 ? 2 : 3, port), made_member(rank), made_terms());
  });
  const std::string text =
      "rank 1 on node1 (process 101) has a run of 3 ranks, rank 0 on node0 (process 100) has one "
      "of 2; expected the same on all ranks";
  EXPECT_EQ(texts, (std::vector<std::string>{text, "reported by peer: " + text}));
}

TEST(Rendezvous, NamesRanksThatDoNotConnect) {
  const auto port = unused_port();
  const auto texts = run_ranks(2, [&](std::int64_t rank) {
    join_run(place_of(rank, 4, port), made_member(rank), made_terms(1));
  });
  EXPECT_THAT(texts[0], HasSubstr("ranks 2, 3 of 4 did not connect to localhost:"));
}

TEST(Rendezvous, StopsAllRanksThatWaitForOneThatNeverConnects) {
  std::vector<std::string> texts;
  // Rank 0 is asked at every pause. The larger `pauses` is, the surer rank 1 has connected by then.
  for (int pauses = 10; texts.empty() || texts[0].find("ranks 1, 2") != std::string::npos;
       pauses *= 2) {
    const auto port = unused_port();
    std::atomic<int> asked = 0;
    texts = run_ranks(2, [&](std::int64_t rank) {
      join_run(place_of(rank, 3, port), made_member(rank), made_terms(600), [&, rank] {
        asked += rank == 0 ? 1 : 0;
        return asked > pauses ? SIGUSR1 : 0;
      });
    });
  }
  const std::string text = "stopped by SIGUSR1 before rank 2 of 3 connected";
  EXPECT_EQ(texts, (std::vector<std::string>{text, text}));
}

TEST(Rendezvous, StopsARankThatCannotReachRankZero) {
  const auto texts = run_ranks(1, [&](std::int64_t) {
    join_run(place_of(1, 2, unused_port()), made_member(1), made_terms(600),
             [] { return SIGTERM; });
  });
  EXPECT_EQ(texts[0], "rank 1 on node1 (process 101) stopped by SIGTERM before it reached rank 0");
}

TEST(Rendezvous, NamesAMissingRankZero) {
  const auto texts = run_ranks(1, [&](std::int64_t) {
    join_run(place_of(1, 2, unused_port()), made_member(1), made_terms(0.3));
  });
  EXPECT_THAT(texts[0],
              HasSubstr("rank 1 on node1 (process 101) did not reach rank 0 at localhost within "
                        "0.3s: nothing listens at its ports "));
}

TEST(Rendezvous, TakesAnotherPortIfAStrangerHasTheFirst) {
  const auto port = unused_port();
  const auto taken = listen_on({port}, "localhost");
  const auto texts = run_ranks(2, [&](std::int64_t rank) {
    join_run(place_of(rank, 2, port), made_member(rank), made_terms());
  });
  EXPECT_EQ(texts, std::vector<std::string>(2));
  EXPECT_TRUE(accept_from(taken).has_value()) << "rank 1 has tried it";
}

TEST(Rendezvous, NamesPortsInUse) {
  const auto port = unused_port();
  const auto taken = listen_on({port}, "localhost");
  const auto text = error_of([&] { listen_on({port, port}, "localhost"); });
  EXPECT_THAT(text, HasSubstr(fmt::format("ports {0}, {0} of ", port)));
  EXPECT_THAT(text, HasSubstr("Address already in use; MASTER_PORT=PORT selects another"));
}

TEST(Rendezvous, ListensOnLoopbackAloneWhereAllRanksShareAMachine) {
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    const auto listener = listen_on({0}, host);
    EXPECT_FALSE(connect_to("127.0.0.2", port_of(listener), 5).has_value());
  }
  const auto open = listen_on({0}, "node7");
  EXPECT_TRUE(connect_to("127.0.0.2", port_of(open), 5).has_value());
}

}  // namespace
}  // namespace epochcast::ranks
