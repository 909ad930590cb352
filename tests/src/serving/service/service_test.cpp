#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/base/core/error.hpp"
#include "tests/serving/known_predictor.hpp"
#include "tests/serving/raw_client.hpp"
#include "tests/serving/running_service.hpp"

namespace epochcast::serve {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string predict_text(const std::string& body, const std::string& headers = "") {
  return request_text("POST", "/predict", body, headers);
}

RawResponse ask(const RunningService& service, const std::string& request) {
  RawClient client(service.port());
  client.send(request);
  return client.receive();
}

std::string text_body(const std::vector<std::string>& texts) {
  return json{{"text", texts}}.dump();
}

/// The value of a metric on the service's page. Throws if the page does not have it.
double metric(const RunningService& service, const std::string& name) {
  const auto page = "\n" + ask(service, request_text("GET", "/metrics")).body;
  const auto at = page.find("\n" + name + " ");
  if (at == std::string::npos) {
    throw std::runtime_error("no " + name + " in: " + page);
  }
  return std::stod(page.substr(at + name.size() + 2));
}

/// Fails in the way it is told to.
class FailingPredictor : public KnownPredictor {
 public:
  FailingPredictor() : KnownPredictor(0, 0) {}
  std::unique_ptr<Input> prepare(std::string_view bytes) const override {
    if (bytes == "unreadable") {
      throw Error("found an unreadable text");
    }
    return KnownPredictor::prepare(bytes);
  }
  std::vector<Scores> predict(std::span<const Input* const> inputs) override {
    if (device_lost) {
      throw RunError("the device is lost");
    }
    auto scores = KnownPredictor::predict(inputs);
    if (not_finite) {
      scores.back().back() = std::numeric_limits<float>::quiet_NaN();
    }
    return scores;
  }
  std::atomic<bool> device_lost{false};
  std::atomic<bool> not_finite{false};
};

/// Lets passes through only while it is open.
class GatedPredictor : public KnownPredictor {
 public:
  GatedPredictor() : KnownPredictor(0, 0) {}
  std::vector<Scores> predict(std::span<const Input* const> inputs) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
    return KnownPredictor::predict(inputs);
  }
  void set_open(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
};

/// Sends requests that wait behind a closed gate; returns once `service` has taken them all.
std::vector<std::unique_ptr<RawClient>> ask_and_wait(const RunningService& service, int number) {
  const double before = metric(service, "epochcast_cache_misses_total");
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < number; ++i) {
    clients.push_back(std::make_unique<RawClient>(service.port()));
    clients.back()->send(predict_text(text_body({"request " + std::to_string(i)})));
  }
  while (metric(service, "epochcast_cache_misses_total") < before + number) {
  }
  return clients;
}

TEST(Service, AnswersEachTextWithItsOwnScores) {
  KnownPredictor predictor(0, 0);
  const RunningService service(predictor, {});
  const std::vector<std::string> texts{"good", "bad film", "\u00fc\n\"quoted\"", ""};
  const auto response = ask(service, predict_text(text_body(texts)));
  EXPECT_EQ(response.status, 200);
  const auto predictions = json::parse(response.body).at("predictions");
  ASSERT_EQ(predictions.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto scores = KnownPredictor::answer_to(texts[i]);
    EXPECT_EQ(predictions[i][0].at("label"), "NEGATIVE");
    EXPECT_EQ(predictions[i][0].at("score").get<float>(), scores[0]);
    EXPECT_EQ(predictions[i][1].at("label"), "POSITIVE");
    EXPECT_EQ(predictions[i][1].at("score").get<float>(), scores[1]);
  }
}

TEST(Service, AnswersTheSameRequestFromTheCacheAndSaysSo) {
  KnownPredictor predictor(0, 0);
  const RunningService service(predictor, {});
  const auto first = ask(service, predict_text(text_body({"a", "b"})));
  const auto again = ask(service, predict_text(" " + text_body({"a", "b"})));
  const auto shuffled = ask(service, predict_text(text_body({"b", "a"})));
  EXPECT_TRUE(first.has("X-MLAPI-Cache: MISS"));
  EXPECT_TRUE(again.has("X-MLAPI-Cache: HIT"));
  EXPECT_EQ(again.body, first.body);
  EXPECT_TRUE(shuffled.has("X-MLAPI-Cache: MISS"));
  EXPECT_NE(shuffled.body, first.body);
  EXPECT_EQ(metric(service, "epochcast_cache_hits_total"), 1);
}

TEST(Service, HasNoCacheIfItsTimeIsZero) {
  KnownPredictor predictor(0, 0);
  const RunningService service(predictor, {.serve = {.cache_time = {0}}});
  ask(service, predict_text(text_body({"a"})));
  EXPECT_TRUE(ask(service, predict_text(text_body({"a"}))).has("X-MLAPI-Cache: MISS"));
}

TEST(Service, TellsWhatIsWrongWithARequest) {
  FailingPredictor predictor;
  const RunningService service(predictor, {.listen = {.max_items = 3, .max_text = {100}}});
  const auto refused = [&](const std::string& request) {
    const auto response = ask(service, request);
    return std::to_string(response.status) + " " +
           json::parse(response.body).at("error").get<std::string>();
  };
  EXPECT_EQ(refused(predict_text("{")), "400 body: is no JSON at its byte 2");
  EXPECT_EQ(refused(predict_text(R"({"text": "a"})")),
            "422 text: expected a list of at least one string");
  EXPECT_EQ(refused(predict_text(text_body({"a", "unreadable"}))),
            "422 text[1]: found an unreadable text");
  EXPECT_EQ(refused(predict_text(text_body({"1", "2", "3", "4"}))),
            "413 text: found 4 items, expected at most 3");
  EXPECT_EQ(refused(predict_text(text_body({std::string(101, 'x')}))),
            "413 text[0]: found 101 bytes, expected at most 100");
  EXPECT_EQ(refused(request_text("GET", "/predict")), "405 found GET /predict, expected POST");
  EXPECT_EQ(refused(request_text("GET", "/predictt")),
            "404 there is no /predictt; expected POST /predict, GET /health or GET /metrics");
  EXPECT_TRUE(ask(service, request_text("PUT", "/health")).has("Allow: GET"));
}

TEST(Service, AsksForItsTokenButNotForItsHealth) {
  KnownPredictor predictor(0, 0);
  const TemporaryFolder folder;
  set_bytes(folder / "token", "secret\n");
  std::filesystem::permissions(folder / "token", std::filesystem::perms::owner_read);
  const RunningService service(predictor, {.listen = {.token_file = folder / "token"}});
  EXPECT_EQ(ask(service, predict_text(text_body({"a"}))).status, 401);
  EXPECT_EQ(ask(service, request_text("GET", "/metrics")).status, 401);
  EXPECT_EQ(ask(service, request_text("GET", "/health")).status, 200);
  const auto wrong =
      ask(service, predict_text(text_body({"a"}), "Authorization: Bearer secre\r\n"));
  EXPECT_EQ(wrong.status, 401);
  EXPECT_TRUE(wrong.has("WWW-Authenticate: Bearer"));
  EXPECT_EQ(ask(service, predict_text(text_body({"a"}), "Authorization: Bearer secret\r\n")).status,
            200);
}

TEST(Service, RefusesMoreThanItsQueueHoldsAndSaysWhenToTryAgain) {
  GatedPredictor predictor;
  const RunningService service(predictor, {.serve = {.batch = 1, .batch_wait = {0}, .queue = 2}});
  predictor.set_open(false);
  const auto in_progress = ask_and_wait(service, 1);
  while (metric(service, "epochcast_queue_inputs") > 0) {
  }
  const auto waiting = ask_and_wait(service, 2);
  while (metric(service, "epochcast_queue_inputs") < 2) {
  }
  const auto refused = ask(service, predict_text(text_body({"one more"})));
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.has("Retry-After: 1"));
  EXPECT_EQ(ask(service, predict_text(text_body({"1", "2", "3"}))).status, 413);
  predictor.set_open(true);
  EXPECT_EQ(in_progress.at(0)->receive().status, 200);
  EXPECT_EQ(waiting.at(0)->receive().status, 200);
  EXPECT_EQ(waiting.at(1)->receive().status, 200);
}

TEST(Service, ForgetsARequestWhoseClientHasGone) {
  GatedPredictor predictor;
  RunningService service(predictor, {.serve = {.batch = 1, .batch_wait = {0}, .cache_time = {60}}});
  predictor.set_open(false);
  auto clients = ask_and_wait(service, 1);
  while (metric(service, "epochcast_queue_inputs") > 0) {  // until it is being computed
  }
  for (auto& client : ask_and_wait(service, 3)) {
    clients.push_back(std::move(client));
  }
  while (metric(service, "epochcast_queue_inputs") != 3) {
  }
  clients.erase(clients.begin() + 1, clients.begin() + 3);  // two close their connections
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  predictor.set_open(true);
  EXPECT_EQ(clients.front()->receive().status, 200);
  EXPECT_EQ(clients.back()->receive().status, 200);
  EXPECT_EQ(metric(service, "epochcast_abandoned_inputs_total"), 2);
  EXPECT_EQ(metric(service, "epochcast_batch_inputs_count"), 2);
  while (metric(service, R"(epochcast_requests_total{path="/predict",status="499"})") < 2) {
  }  // it is counted a moment after the others were answered
  EXPECT_EQ(service.stop().unanswered, 0U);
}

/// The bytes of a next request are no sign that the client has gone.
TEST(Service, AnswersAClientThatSendsItsNextRequestMeanwhile) {
  GatedPredictor predictor;
  RunningService service(predictor, {.serve = {.batch_wait = {0}}});
  predictor.set_open(false);
  auto clients = ask_and_wait(service, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  clients[0]->send(predict_text(text_body({"the next"})));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  predictor.set_open(true);
  EXPECT_EQ(clients[0]->receive().status, 200);
  EXPECT_EQ(clients[0]->receive().status, 200);
  EXPECT_EQ(metric(service, "epochcast_abandoned_inputs_total"), 0);
}

TEST(Service, AnswersManyClientsAtOnceEachWithItsOwn) {
  KnownPredictor predictor(0.001, 0);
  RunningService service(predictor, {.serve = {.batch = 16}});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      RawClient client(service.port());
      for (int i = 0; i < 25; ++i) {
        const auto text = std::to_string(t * 1000 + i);
        client.send(predict_text(text_body({text})));
        const auto body = json::parse(client.receive().body);
        right += body.at("predictions")[0][1].at("score").get<float>() ==
                         KnownPredictor::answer_to(text)[1]
                     ? 1
                     : 0;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right, 200);
  EXPECT_GE(metric(service, "epochcast_batch_inputs_sum"), 200);
  EXPECT_EQ(service.stop().answered, 200U);
}

TEST(Service, OfAFailingDeviceAnswers500AndIsHealthyAgainLater) {
  FailingPredictor predictor;
  const RunningService service(predictor, {.serve = {.cache_time = {0}}});
  predictor.device_lost = true;
  const auto failed = ask(service, predict_text(text_body({"a"})));
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(failed.body, HasSubstr("the device is lost"));
  EXPECT_EQ(ask(service, request_text("GET", "/health")).status, 503);
  predictor.device_lost = false;
  EXPECT_EQ(ask(service, predict_text(text_body({"a"}))).status, 200);
  EXPECT_EQ(ask(service, request_text("GET", "/health")).status, 200);
}

TEST(Service, NeverGivesAScoreThatIsNoNumber) {
  FailingPredictor predictor;
  const RunningService service(predictor, {});
  predictor.not_finite = true;
  const auto response = ask(service, predict_text(text_body({"a"})));
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("a score that is not finite"));
}

TEST(Service, IsNotReadyBeforeItIsWarm) {
  FailingPredictor predictor;
  predictor.device_lost = true;
  RunningService service(predictor, {});
  service.stop();
  EXPECT_EQ(service.failure(), "the model cannot be warmed up: the device is lost");
}

TEST(Service, DrainingAnswersAllThatItHasReceivedAndTellsOthersToGoElsewhere) {
  GatedPredictor predictor;
  RunningService service(predictor, {.serve = {.batch = 4, .batch_wait = {0}}});
  predictor.set_open(false);
  RawClient idle(service.port());
  RawClient late(service.port());
  const auto clients = ask_and_wait(service, 20);
  const auto address_file = service.address_file();
  const auto port_before = service.port();
  service.ask_to_stop();
  while (std::filesystem::exists(address_file)) {
  }
  std::string health;
  while (health != R"({"status":"draining"})") {
    RawClient other(port_before);
    other.send(request_text("GET", "/health"));
    health = other.receive().body;
  }
  late.send(predict_text(text_body({"too late"})));
  const auto refused = late.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.has("Retry-After: 1"));
  EXPECT_TRUE(refused.has("Connection: close"));
  predictor.set_open(true);
  for (const auto& client : clients) {
    EXPECT_EQ(client->receive().status, 200);
  }
  const auto end = service.stop();
  EXPECT_EQ(end.unanswered, 0U);
  EXPECT_EQ(end.answered, 20U);
  EXPECT_TRUE(idle.is_closed_within(5));
}

TEST(Service, DrainingEndsAtItsLimitAndSaysHowMuchItDropped) {
  GatedPredictor predictor;
  RunningService service(
      predictor, {.serve = {.batch = 1, .batch_wait = {0}}, .listen = {.drain_time = {0.05}}});
  predictor.set_open(false);
  const auto clients = ask_and_wait(service, 3);
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    predictor.set_open(true);  // the pass in progress cannot be interrupted
  });
  EXPECT_EQ(service.stop().unanswered, 3U);
  opens.join();
}

/// Takes the picture's size in bytes as its content.
class PicturePredictor : public KnownPredictor {
 public:
  PicturePredictor() : KnownPredictor(0, 0) {}
  Kind kind() const override { return Kind::picture; }
  std::unique_ptr<Input> prepare(std::string_view bytes) const override {
    if (!bytes.starts_with("\x89PNG")) {
      throw Error("is neither PNG nor JPEG");
    }
    return KnownPredictor::prepare(bytes);
  }
};

TEST(Service, TakesPicturesAsBase64OrAsTheBody) {
  PicturePredictor predictor;
  const RunningService service(predictor, {});
  const std::string picture = "\x89PNG of some bytes";
  const auto raw = ask(service, predict_text(picture, "Content-Type: image/png\r\n"));
  EXPECT_EQ(raw.status, 200);
  const auto in_json = ask(service, predict_text(R"({"picture": ["iVBORyBvZiBzb21lIGJ5dGVz"]})"));
  EXPECT_EQ(in_json.body, raw.body);
  EXPECT_TRUE(in_json.has("X-MLAPI-Cache: HIT"));
  const auto other = ask(service, predict_text("GIF89a", "Content-Type: image/gif\r\n"));
  EXPECT_EQ(other.status, 422);
  EXPECT_THAT(other.body, HasSubstr("picture[0]: is neither PNG nor JPEG"));
}

}  // namespace
}  // namespace epochcast::serve
