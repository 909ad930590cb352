#include "src/serving/http/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "src/base/core/clock.hpp"
#include "tests/files.hpp"
#include "tests/serving/raw_client.hpp"

namespace epochcast::http {
namespace {

using testing::HasSubstr;

/// Answers with what it was asked: at once, from another thread, when it is told to, or never.
class Echo : public Handler {
 public:
  ~Echo() override {
    for (auto& thread : threads_) {
      thread.join();
    }
  }

  void handle(Request request, Reply reply) override {
    const std::string text = request.method + " " + request.path + " " + request.body;
    if (request.path == "/later") {
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([reply, text] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        reply({.body = text});
      });
    } else if (request.path == "/held") {
      const std::lock_guard lock(mutex_);
      held_.push_back([reply, text] { reply({.body = text}); });
      changed_.notify_all();
    } else if (request.path == "/throws") {
      throw RunError("the device is lost");
    } else if (request.path == "/large") {
      reply({.body = std::string(std::size_t(32) << 20, 'x')});
    } else if (request.path != "/dropped") {
      reply({.body = text});
    }
  }

  void answered(const std::string& path, int status) override {
    const std::lock_guard lock(mutex_);
    ++answers_[{path, status}];
  }

  void wait_until_held(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_.size() == number; });
  }
  void release() {
    std::vector<std::function<void()>> held;
    {
      const std::lock_guard lock(mutex_);
      held.swap(held_);
    }
    for (const auto& answer : held) {
      answer();
    }
  }
  int answers(const std::string& path, int status) {
    const std::lock_guard lock(mutex_);
    return answers_[{path, status}];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  std::vector<std::function<void()>> held_;
  std::map<std::pair<std::string, int>, int> answers_;
};

/// Waits until `condition` holds; false if it does not within 10 s.
template <class Condition>
bool soon(Condition condition) {
  const SteadyClock clock;
  for (const double end_s = clock.now_s() + 10; !condition();) {
    if (clock.now_s() > end_s) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

TEST(HttpServer, AnswersSeveralRequestsOfOneConnection) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  client.send(request_text("POST", "/a?query=1", "body"));
  EXPECT_EQ(client.receive().body, "POST /a body");
  client.send(request_text("GET", "/b"));
  const auto second = client.receive();
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.body, "GET /b ");
  EXPECT_TRUE(second.has("Content-Type: application/json"));
  EXPECT_EQ(echo.answers("/b", 200), 1);
}

TEST(HttpServer, AnswersRequestsThatCameTogetherInTheirOrder) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  client.send(request_text("POST", "/later", "1") + request_text("POST", "/b", "2") +
              request_text("POST", "/later", "3"));
  EXPECT_EQ(client.receive().body, "POST /later 1");
  EXPECT_EQ(client.receive().body, "POST /b 2");
  EXPECT_EQ(client.receive().body, "POST /later 3");
}

TEST(HttpServer, TakesARequestThatArrivesByteByByte) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  for (const char byte : request_text("POST", "/slow", "abc")) {
    client.send({&byte, 1});
  }
  EXPECT_EQ(client.receive().body, "POST /slow abc");
}

TEST(HttpServer, TakesABodyInChunks) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  client.send(
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "POST /c abcde");
}

TEST(HttpServer, SaysContinueToAClientThatAsksFirst) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  client.send("POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("ab");
  EXPECT_EQ(client.receive().body, "POST /c ab");
}

TEST(HttpServer, SendsNoBodyToHead) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  client.send(request_text("HEAD", "/a", "", "Connection: close\r\n"));
  const std::string all = client.receive_until_closed();
  EXPECT_THAT(all, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(all, testing::EndsWith("\r\n\r\n"));
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  client.send(request_text("GET", "/a", "", "Connection: close\r\n"));
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.is_closed_within(5));
}

TEST(HttpServer, AnswersAHandlerThatThrowsOrForgetsWithAFailure) {
  Echo echo;
  const Server server({}, echo);
  RawClient client(server.port());
  client.send(request_text("GET", "/throws"));
  const auto thrown = client.receive();
  EXPECT_EQ(thrown.status, 500);
  EXPECT_THAT(thrown.body, HasSubstr("the device is lost"));
  client.send(request_text("GET", "/dropped"));
  EXPECT_EQ(client.receive().status, 500);
}

struct Malformed {
  std::string name;
  std::string bytes;
  int status;
};

class HttpServerRefuses : public testing::TestWithParam<Malformed> {};

TEST_P(HttpServerRefuses, WithAStatusAndOneLineThenCloses) {
  Echo echo;
  const Server server({.header_bytes = 1024, .body_bytes = 100}, echo);
  RawClient client(server.port());
  client.send(GetParam().bytes);
  const auto response = client.receive();
  EXPECT_EQ(response.status, GetParam().status);
  EXPECT_THAT(response.body, testing::MatchesRegex("\\{\"error\":\"[^\n]+\"\\}\n"));
  client.end_sending();
  EXPECT_TRUE(client.is_closed_within(5));
  EXPECT_EQ(echo.answers("", GetParam().status), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, HttpServerRefuses,
    testing::Values(
        Malformed{"no_http", "hello\r\n\r\n", 400},
        Malformed{"binary", std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8) + "\r\n\r\n", 400},
        Malformed{"http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
        Malformed{"no_host", "GET / HTTP/1.1\r\n\r\n", 400},
        Malformed{"two_hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        Malformed{"other_target", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Malformed{"negative_length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
                  400},
        Malformed{"two_lengths",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                  400},
        Malformed{"length_and_chunks",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                  400},
        Malformed{"other_encoding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
                  400},
        Malformed{"bad_chunk",
                  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
        Malformed{"large_header", "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(5000, 'x'), 431},
        Malformed{"long_target", "GET /" + std::string(5000, 'x'), 431},
        Malformed{"large_body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", 413},
        Malformed{"huge_body",
                  "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n",
                  413},
        Malformed{"large_chunks",
                  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
                      std::string(101, 'x') + "\r\n0\r\n\r\n",
                  413}),
    [](const auto& each) { return each.param.name; });

TEST(HttpServer, LetsAClientReadARefusalWhileItStillSends) {
  Echo echo;
  const Server server({.body_bytes = 1000}, echo);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_TRUE(client.send(std::string(1000000, 'x')));
  EXPECT_EQ(client.receive().status, 413);
}

TEST(HttpServer, CutsOffAClientThatSendsTooSlowly) {
  Echo echo;
  const Server server({.receive_s = 0.2}, echo);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\n");
  EXPECT_TRUE(client.is_closed_within(5));
  EXPECT_TRUE(soon([&] { return echo.counts.cut_off == 1; }));
}

TEST(HttpServer, CutsOffAClientThatNeverStopsSendingSlowly) {
  Echo echo;
  const Server server({.receive_s = 0.3}, echo);
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
  EXPECT_TRUE(soon([&] {
    client.send("x");
    return echo.counts.cut_off == 1;
  }));
}

TEST(HttpServer, CutsOffAClientThatDoesNotReceive) {
  Echo echo;
  const Server server({.send_s = 0.2}, echo);
  RawClient client(server.port(), /*receive_buffer=*/4096);
  client.send(request_text("GET", "/large"));
  EXPECT_TRUE(soon([&] { return echo.counts.cut_off == 1; }));
}

TEST(HttpServer, ClosesAConnectionThatStaysIdle) {
  Echo echo;
  const Server server({.idle_s = 0.1}, echo);
  RawClient client(server.port());
  client.send(request_text("GET", "/a"));
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.is_closed_within(5));
  EXPECT_EQ(echo.counts.cut_off, 0U);
}

TEST(HttpServer, AnswersOneConnectionTooManyWith503) {
  Echo echo;
  const Server server({.connections = 2}, echo);
  RawClient first(server.port());
  RawClient second(server.port());
  ASSERT_TRUE(soon([&] { return echo.counts.connections == 2; }));
  RawClient third(server.port());
  const auto refused = third.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.has("Retry-After: 1"));
  third.end_sending();
  EXPECT_TRUE(third.is_closed_within(5));
  first.send(request_text("GET", "/a"));
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(echo.counts.refused, 1U);
}

TEST(HttpServer, AnswersEachOfManyTooMany) {
  Echo echo;
  const Server server({.connections = 1}, echo);
  const RawClient first(server.port());
  ASSERT_TRUE(soon([&] { return echo.counts.connections == 1; }));
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(std::make_unique<RawClient>(server.port()));
    EXPECT_EQ(silent.back()->receive().status, 503) << i;
  }
}

TEST(HttpServer, TakesAgainAfterAConnectionHasClosed) {
  Echo echo;
  const Server server({.connections = 1}, echo);
  for (int i = 0; i < 20; ++i) {
    RawClient client(server.port());
    client.send(request_text("GET", "/a", "", "Connection: close\r\n"));
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_TRUE(soon([&] { return echo.counts.connections == 0; }));
  }
}

TEST(HttpServer, DrainingAnswersWhatWasReceivedAndClosesTheRest) {
  Echo echo;
  Server server({}, echo);
  RawClient asking(server.port());
  RawClient idle(server.port());
  asking.send(request_text("POST", "/held", "1"));
  echo.wait_until_held(1);
  std::size_t unanswered = 1;
  std::thread draining([&] { unanswered = server.drain(20); });
  EXPECT_FALSE(idle.is_closed_within(0.2));  // it may still ask, and be told to go elsewhere
  echo.release();
  const auto response = asking.receive();
  EXPECT_EQ(response.body, "POST /held 1");
  EXPECT_TRUE(response.has("Connection: close"));
  draining.join();
  EXPECT_EQ(unanswered, 0U);
  EXPECT_TRUE(idle.is_closed_within(5));
  EXPECT_TRUE(soon([&] { return !RawClient(server.port()).connected(); }));
}

TEST(HttpServer, DrainingAnswersRequestsThatCameTogether) {
  Echo echo;
  Server server({}, echo);
  RawClient client(server.port());
  client.send(request_text("POST", "/held", "1") + request_text("POST", "/b", "2"));
  echo.wait_until_held(1);
  std::thread draining([&] { server.drain(20); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  echo.release();
  EXPECT_EQ(client.receive().body, "POST /held 1");
  EXPECT_EQ(client.receive().body, "POST /b 2");
  draining.join();
}

TEST(HttpServer, DrainingEndsAtItsLimitAndCountsWhatIsUnanswered) {
  Echo echo;
  {
    Server server({}, echo);
    RawClient client(server.port());
    client.send(request_text("POST", "/held", "1"));
    echo.wait_until_held(1);
    EXPECT_EQ(server.drain(0.1), 1U);
    echo.release();
  }
  EXPECT_EQ(echo.answers("/held", 200), 1);
}

TEST(HttpServer, NamesAPortThatIsTaken) {
  Echo echo;
  const Server server({}, echo);
  const auto port = server.port();
  EXPECT_THAT(error_of([&] { const Server second({.port = port}, echo); }),
              HasSubstr("cannot listen on port " + std::to_string(port) + " of 127.0.0.1"));
  EXPECT_THAT(error_of([&] { const Server other({.host = "no such host"}, echo); }),
              HasSubstr("the host 'no such host' has no address"));
}

TEST(HttpMessage, ErrorsAreOneLineOfJsonWhateverTheReason) {
  EXPECT_EQ(error_response(400, "a\"b\n\xff").body, "{\"error\":\"a\\\"b\\\\n\\\\xff\"}\n");
  EXPECT_EQ(error_response(429, "full", 7).headers.at(0).second, "7");
  EXPECT_TRUE(error_response(400, "bad").headers.empty());
}

}  // namespace
}  // namespace epochcast::http
