// Requests that nobody meant: the service answers with a status below 500 or closes, and goes on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "tests/fuzz.hpp"
#include "tests/serving/known_predictor.hpp"
#include "tests/serving/raw_client.hpp"
#include "tests/serving/running_service.hpp"

namespace epochcast::serve {
namespace {

int campaign(int usually, int at_full_count) {
  return std::getenv("EPOCHCAST_LONG") != nullptr ? at_full_count : usually;
}

const std::vector<std::string> pieces{"\r\n",
                                      "\n",
                                      "\r\n\r\n",
                                      "HTTP/1.1",
                                      "HTTP/9.9",
                                      "Content-Length: ",
                                      "Content-Length: 5\r\n",
                                      "Transfer-Encoding: chunked\r\n",
                                      "0\r\n\r\n",
                                      "ffffffffffffffff\r\n",
                                      "Expect: 100-continue\r\n",
                                      "Connection: keep-alive, close\r\n",
                                      "Host: a\r\n",
                                      "GET ",
                                      "POST ",
                                      "HEAD ",
                                      "/predict",
                                      "/metrics",
                                      "%00",
                                      "{",
                                      "}",
                                      "[",
                                      "]",
                                      "\"",
                                      "\\u0000",
                                      "\\ud800",
                                      "\\",
                                      "null",
                                      "1e999",
                                      "-",
                                      "\"text\":",
                                      "\xff",
                                      "\xc0\x80",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      std::string(1, '\0'),
                                      std::string(3000, 'a'),
                                      std::string(200, '[')};

const std::vector<std::string> seeds{
    request_text("POST", "/predict", R"({"text": ["good", "bad film"]})"),
    request_text("POST", "/predict", R"({"text": ["\u00e9\ud83d\ude00 \"quoted\""]})",
                 "Content-Type: application/json\r\nAccept: */*\r\n"),
    "POST /predict HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    "f\r\n{\"text\": [\"good\r\n3\r\n\"]}\r\n0\r\nTrailer: x\r\n\r\n",
    request_text("GET", "/health") + request_text("GET", "/metrics"),
    request_text("POST", "/predict", R"({"text": ["a"]})", "Expect: 100-continue\r\n")};

/// The statuses of all responses in what a connection gave.
std::vector<int> statuses_of(const std::string& received) {
  static const std::regex line("HTTP/1\\.1 ([0-9]{3}) ");
  std::vector<int> statuses;
  for (std::sregex_iterator found(received.begin(), received.end(), line), end; found != end;
       ++found) {
    statuses.push_back(std::stoi((*found)[1]));
  }
  return statuses;
}

TEST(ServiceFuzz, DamagedRequestsAreAnsweredBelow500) {
  KnownPredictor predictor(0, 0);
  RunningService service(predictor, {.serve = {.batch_wait = {0}},
                                     .listen = {.max_body = {4096}, .max_header = {2048}}});
  tests::Damage damage(20, pieces);
  int accepted = 0;
  int refused = 0;
  for (int left = campaign(2000, 100'000); left > 0 && !HasFailure(); --left) {
    const auto request = damage.of(seeds[damage.below(seeds.size())]);
    RawClient client(service.port());
    ASSERT_TRUE(client.connected());
    client.send(request);
    client.end_sending();
    const auto received = client.receive_until_closed();
    for (const int status : statuses_of(received)) {
      EXPECT_LT(status, 500) << testing::PrintToString(request) << received;
      ++(status < 400 ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
  RawClient client(service.port());
  client.send(seeds[0]);
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(service.stop().unanswered, 0U);
}

/// A request whose damage is in the JSON alone, so that its length is right.
std::string with_damaged_body(tests::Damage& damage) {
  static const std::vector<std::string> bodies{
      R"({"text": ["good", "bad film"]})", R"({"text": ["\u00e9\ud83d\ude00 \"quoted\""]})",
      R"({"text": ["a", "b", "c", "d", "e", "f", "g", "h"]})"};
  return request_text("POST", "/predict", damage.of(bodies[damage.below(bodies.size())]));
}

TEST(ServiceFuzz, DamagedJsonIsAnsweredBelow500OnOneConnection) {
  KnownPredictor predictor(0, 0);
  const RunningService service(
      predictor, {.serve = {.batch_wait = {0}, .cache_time = {0}}, .listen = {.max_items = 8}});
  tests::Damage damage(22, pieces);
  RawClient client(service.port());
  int accepted = 0;
  int refused = 0;
  for (int left = campaign(5000, 100'000); left > 0 && !HasFailure(); --left) {
    const auto request = with_damaged_body(damage);
    client.send(request);
    const auto response = client.receive();
    EXPECT_TRUE(response.status == 200 || (response.status >= 400 && response.status < 500))
        << testing::PrintToString(request) << response.status << response.body;
    ++(response.status == 200 ? accepted : refused);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
}

TEST(ServiceFuzz, ConnectionsThatEndAnywhereLeaveNothingBehind) {
  KnownPredictor predictor(0.0001, 0);
  RunningService service(predictor, {.serve = {.batch_wait = {0}, .cache_time = {0}}});
  tests::Damage random(21, pieces);
  for (int left = campaign(1000, 50'000); left > 0; --left) {
    RawClient client(service.port());
    const auto& request = seeds[random.below(seeds.size())];
    client.send(request.substr(0, random.below(request.size() + 1)));
  }
  RawClient client(service.port());
  client.send(seeds[0]);
  EXPECT_EQ(client.receive().status, 200);
  client.send(request_text("GET", "/metrics"));
  EXPECT_EQ(client.receive().status, 200);
  const auto end = service.stop();
  EXPECT_EQ(end.unanswered, 0U);
}

}  // namespace
}  // namespace epochcast::serve
