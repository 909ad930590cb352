// Processes that do not belong to a run and connect to its ranks: each is refused, learns nothing,
// and the run goes on as if they were not there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <latch>

#include "src/base/core/digest.hpp"
#include "tests/src/training/ranks/team_of_threads.hpp"

namespace epochcast::ranks {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr int tries = 100;
constexpr auto moment = std::chrono::milliseconds(5);

LineSocket connected(std::int64_t port) {
  for (;;) {
    if (auto socket = connect_to("localhost", port, 5)) {
      return std::move(*socket);
    }
    std::this_thread::sleep_for(moment);
  }
}

/// What a stranger received, once rank 0 has closed its connection.
std::vector<std::string> received_until_the_end(LineSocket& socket) {
  std::vector<std::string> lines;
  for (;;) {
    for (auto& line : socket.receive()) {
      lines.push_back(std::move(line));
    }
    if (socket.is_closed()) {
      return lines;
    }
    std::this_thread::sleep_for(moment);
  }
}

std::string first_line(LineSocket& socket) {
  for (;;) {
    if (auto line = socket.receive_line()) {
      return *line;
    }
    std::this_thread::sleep_for(moment);
  }
}

void write_raw(const LineSocket& socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const auto done = send(socket.number(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (done < 0 && errno != EAGAIN) {
      return;  // refused in the middle
    }
    sent += done < 0 ? 0 : static_cast<std::size_t>(done);
  }
}

/// What rank 1 of a run with this secret sends until it is admitted, as a stranger on the way could
/// have recorded it.
std::string recorded_handshake(const Terms& terms) {
  const auto port = unused_port();
  const auto relay = listen_on({0}, "localhost");
  std::string recorded;
  std::thread between([&] {
    std::optional<LineSocket> caller;
    while (!(caller = accept_from(relay))) {
      std::this_thread::sleep_for(moment);
    }
    const auto first = connected(port);
    std::array<pollfd, 2> ends{{{caller->number(), POLLIN, 0}, {first.number(), POLLIN, 0}}};
    for (;;) {
      poll(ends.data(), ends.size(), -1);
      for (const std::size_t from : {0, 1}) {
        std::array<char, 4096> bytes{};
        const auto got = recv(ends[from].fd, bytes.data(), bytes.size(), 0);
        if (got == 0) {
          return;
        }
        if (got > 0) {
          send(ends[1 - from].fd, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
          recorded.append(from == 0 ? std::string(bytes.data(), static_cast<std::size_t>(got))
                                    : "");
        }
      }
    }
  });
  const auto texts = run_ranks(2, [&](std::int64_t rank) {
    join_run(place_of(rank, 2, rank == 0 ? port : port_of(relay)), made_member(rank), terms);
  });
  between.join();
  EXPECT_EQ(texts, std::vector<std::string>(2)) << "a relay that only carries the lines";
  EXPECT_THAT(recorded, HasSubstr("model=mlp"));
  return recorded;
}

struct Stranger {
  const char* name;
  std::function<void(LineSocket&, const std::string& recorded)> act;
};
void PrintTo(const Stranger& stranger, std::ostream* out) {
  *out << stranger.name;
}

class Strangers : public testing::TestWithParam<Stranger> {};

TEST_P(Strangers, AreRefusedAndLearnNothingWhileARunStarts) {
  const auto recorded = recorded_handshake(made_terms());
  const auto port = unused_port();
  std::latch refused(tries);
  std::atomic<int> admitted = 0;
  std::thread strangers([&] {
    for (int i = 0; i < tries; ++i) {
      auto socket = connected(port);
      const auto nonce = first_line(socket);
      EXPECT_THAT(nonce, MatchesRegex("[0-9a-f]{64}"));
      GetParam().act(socket, recorded);
      const auto more = received_until_the_end(socket);
      EXPECT_THAT(more, IsEmpty());
      admitted += more.empty() ? 0 : 1;
      refused.count_down();
    }
  });
  const auto texts = run_ranks(3, [&](std::int64_t rank) {
    if (rank == 2) {
      refused.wait();  // the last rank comes after all strangers
    }
    const auto rendezvous = join_run(place_of(rank, 3, port), made_member(rank), made_terms(600));
    EXPECT_EQ(rendezvous.members.size(), 3u);
  });
  strangers.join();
  EXPECT_EQ(texts, std::vector<std::string>(3));
  EXPECT_EQ(admitted, 0);
}

void begin_with_secret(LineSocket& socket, const std::string& secret) {
  const auto own = random_digits();
  socket.send(own);
  socket.begin(Session(End::caller, secret, random_digits(), own));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Strangers,
    testing::Values(
        Stranger{"the former protocol",
                 [](LineSocket& socket, const std::string&) {
                   socket.send("hello\t1\tnode1\t101\t7\tepochcast 1\t3\tmodel=mlp\tbatch=8");
                 }},
        Stranger{"a replay", [](LineSocket& socket,
                                const std::string& recorded) { write_raw(socket, recorded); }},
        Stranger{"another secret",
                 [](LineSocket& socket, const std::string&) {
                   begin_with_secret(socket, "what another run knows");
                   socket.send("hello");
                   socket.send("member\t1\tnode1\t101\tepochcast 1\t3\tmodel=mlp\tbatch=8");
                 }},
        Stranger{"a failure of a rank",
                 [](LineSocket& socket, const std::string&) {
                   socket.send(random_digits());
                   socket.send("fail\tother\tI say so");
                 }},
        Stranger{"its own number sent back",
                 [](LineSocket& socket, const std::string&) {
                   socket.send(std::string(64, '0'));
                   socket.send(std::string(64, '0') + " hello");
                 }},
        Stranger{"a line without an end",
                 [](LineSocket& socket, const std::string&) {
                   write_raw(socket, std::string(1 << 20, 'a'));
                 }},
        Stranger{"zeros", [](LineSocket& socket, const std::string&) {
                   write_raw(socket, std::string(1000, '\0') + "\n\n\n");
                 }}));

/// They say nothing, more of them than rank 0 listens to, and new ones come for those it closes.
TEST(Strangers, ThatHoldTheirConnectionsDoNotDelayARun) {
  const auto port = unused_port();
  std::atomic<bool> is_over = false;
  std::latch many(400);
  std::thread strangers([&] {
    std::vector<LineSocket> held;
    for (int i = 0; !is_over; ++i) {
      if (auto socket = connect_to("localhost", port, 5)) {
        held.push_back(std::move(*socket));
        if (held.size() <= 400) {
          many.count_down();
        } else {
          held.erase(held.begin());
        }
      }
    }
  });
  const auto texts = run_ranks(3, [&](std::int64_t rank) {
    if (rank > 0) {
      many.wait();
    }
    join_run(place_of(rank, 3, port), made_member(rank), made_terms());
  });
  is_over = true;
  strangers.join();
  EXPECT_EQ(texts, std::vector<std::string>(3));
}

TEST(Strangers, AreCountedIfARankDoesNotCome) {
  const auto port = unused_port();
  std::thread stranger([&] {
    auto socket = connected(port);
    socket.send("GET / HTTP/1.1");
    received_until_the_end(socket);
  });
  const auto texts = run_ranks(1, [&](std::int64_t rank) {
    join_run(place_of(rank, 2, port), made_member(rank), made_terms(2));
  });
  stranger.join();
  EXPECT_THAT(texts[0], HasSubstr("; 1 connection did not prove that they belong to this run"));
}

/// It has taken the port of rank 0, and waits for what a rank will say.
TEST(Strangers, ThatPlayRankZeroLearnNothing) {
  const auto port = unused_port();
  const auto taken = listen_on({port}, "localhost");
  std::vector<std::string> heard;
  std::thread stranger([&] {
    std::optional<LineSocket> caller;
    while (!(caller = accept_from(taken))) {
      std::this_thread::sleep_for(moment);
    }
    caller->send(random_digits());
    heard.push_back(first_line(*caller));
    heard.push_back(first_line(*caller));
    caller->send("welcome\t1");
    const auto more = received_until_the_end(*caller);
    heard.insert(heard.end(), more.begin(), more.end());
  });
  const auto texts = run_ranks(
      1, [&](std::int64_t) { join_run(place_of(1, 2, port), made_member(1), made_terms(1)); });
  stranger.join();
  EXPECT_THAT(texts[0],
              HasSubstr(fmt::format(
                  "what listens at port {} did not prove that it belongs to this run", port)));
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_THAT(heard[0], MatchesRegex("[0-9a-f]{64}"));
  EXPECT_THAT(heard[1], MatchesRegex("[0-9a-f]{64} hello"));
}

}  // namespace
}  // namespace epochcast::ranks
