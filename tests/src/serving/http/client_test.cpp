#include "src/serving/http/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <latch>

#include "src/base/core/clock.hpp"
#include "tests/files.hpp"
#include "tests/raw_server.hpp"

namespace epochcast::http {
namespace {

using ::testing::HasSubstr;
using tests::http_answer;
using tests::RawServer;

constexpr double long_s = 60;

/// Sends `count` requests at once and returns their answers in the order of the requests.
std::vector<Answer> ask_all(const std::string& url, int count, std::size_t connections,
                            double timeout_s = long_s) {
  const SteadyClock clock;
  EventLoop loop(clock);
  const auto address = parse_url(url);
  Client client(loop, address, connections);
  std::vector<Answer> answers(static_cast<std::size_t>(count));
  int left = count;
  for (auto& answer : answers) {
    client.send(std::make_shared<const std::string>(request_bytes(address, {})),
                clock.now_s() + timeout_s, [&](Answer given) {
                  answer = std::move(given);
                  if (--left == 0) {
                    loop.stop();
                  }
                });
  }
  loop.run();
  return answers;
}

Answer ask_once(const std::string& url, double timeout_s = long_s) {
  const auto address = parse_url(url);
  return ask(address, request_bytes(address, {}), timeout_s);
}

TEST(Client, GetsStatusAndBody) {
  RawServer server([](const auto&) { return http_answer(201, "hello"); });
  const auto answer = ask_once(server.url());
  EXPECT_EQ(answer.failure, Failure::none);
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_FALSE(answer.is_ok());
  EXPECT_GE(answer.answered_s, answer.sent_s);
}

TEST(Client, KeepsItsConnections) {
  RawServer server([](const auto& request) { return http_answer(200, request.text); });
  const auto answers = ask_all(server.url(), 100, 3);
  for (const auto& answer : answers) {
    EXPECT_TRUE(answer.is_ok()) << answer.reason;
  }
  EXPECT_EQ(server.requests(), 100);
  EXPECT_LE(server.connections(), 3);
}

TEST(Client, UsesAsManyConnectionsAsItMay) {
  std::latch all(4);  // no answer comes before four requests are here
  RawServer server([&](const auto&) {
    all.arrive_and_wait();
    return http_answer(200, "");
  });
  for (const auto& answer : ask_all(server.url(), 4, 4)) {
    EXPECT_TRUE(answer.is_ok());
  }
  EXPECT_EQ(server.connections(), 4);
}

TEST(Client, ReplacesAKeptConnectionThatTheServiceHasClosed) {
  // Every second request of a connection finds it closed, as after the service's own time limit.
  std::atomic<int> last{-1};
  RawServer server([&](const RawServer::Request& request) {
    const bool is_second = last.exchange(request.connection) == request.connection;
    return is_second ? std::string() : http_answer(200, "");
  });
  for (const auto& answer : ask_all(server.url(), 10, 1)) {
    EXPECT_TRUE(answer.is_ok()) << answer.reason;
  }
  EXPECT_EQ(server.connections(), 10);
}

TEST(Client, ObeysConnectionClose) {
  RawServer server([](const auto&) {
    return std::string("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  for (const auto& answer : ask_all(server.url(), 5, 1)) {
    EXPECT_TRUE(answer.is_ok());
  }
  EXPECT_EQ(server.connections(), 5);
}

TEST(Client, FailsWhereNobodyListens) {
  std::string url;
  {
    RawServer server([](const auto&) { return ""; });
    url = server.url();
  }
  const auto answer = ask_once(url);
  EXPECT_EQ(answer.failure, Failure::connection);
  EXPECT_THAT(answer.reason, HasSubstr("refused"));
}

TEST(Client, FailsOnAnswersThatAreNone) {
  for (const std::string bytes :
       {"", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"}) {
    RawServer server([&](const auto&) { return bytes; });
    const auto answer = ask_once(server.url());
    EXPECT_EQ(answer.failure, Failure::connection) << bytes;
    EXPECT_NE(answer.reason, "") << bytes;
  }
}

TEST(Client, GivesUpAtTheDeadline) {
  std::latch end(1);
  RawServer server([&](const auto&) {
    end.wait();
    return std::string();
  });
  const auto answer = ask_once(server.url(), 0.2);
  EXPECT_EQ(answer.failure, Failure::timeout);
  end.count_down();
}

TEST(Client, RequestsThatNeverGetAConnectionFailToo) {
  std::latch end(1);
  RawServer server([&](const auto&) {
    end.wait();
    return std::string();
  });
  for (const auto& answer : ask_all(server.url(), 5, 1, 0.2)) {
    EXPECT_EQ(answer.failure, Failure::timeout);
  }
  end.count_down();
}

TEST(Client, NamesAHostWithoutAddress) {
  EXPECT_THAT(error_of([] { (void)ask_once("http://no-such-host.invalid:80"); }),
              HasSubstr("http://no-such-host.invalid:80: the host has no address"));
}

TEST(EventLoop, CallsAtTheirTimes) {
  const SteadyClock clock;
  EventLoop loop(clock);
  const double start_s = clock.now_s();
  std::string order;
  loop.at(start_s + 0.05, [&] { order += "b"; });
  loop.at(start_s - 1, [&] { order += "a"; });
  loop.at(start_s + 0.1, [&] {
    order += "c";
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(order, "abc");
  EXPECT_GE(clock.now_s() - start_s, 0.1);
}

}  // namespace
}  // namespace epochcast::http
