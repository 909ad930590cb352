#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/serving/service/cache.hpp"
#include "tests/serving/known_predictor.hpp"
#include "tests/serving/raw_client.hpp"
#include "tests/serving/redis_server.hpp"
#include "tests/serving/running_service.hpp"

namespace epochcast::serve {
namespace {

struct HandClock : Clock {
  double now_s() const override { return time_s; }
  double time_s = 0;
};

class RedisCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) {
      GTEST_SKIP() << "redis-server is not installed";
    }
    server_ = std::make_unique<RedisServer>();
  }
  std::string address() const {
    return server_->endpoint().host + ":" + std::to_string(server_->endpoint().port);
  }

  HandClock clock_;
  std::unique_ptr<RedisServer> server_;
};

TEST_F(RedisCacheTest, SharesAnswersBetweenServices) {
  RedisCache one(server_->endpoint(), 60, clock_);
  RedisCache other(server_->endpoint(), 60, clock_);
  const auto key = cache_key("model", {"a", std::string("\0\n", 2)});
  EXPECT_EQ(one.find(key), std::nullopt);
  one.keep(key, "answer");
  EXPECT_EQ(other.find(key), "answer");
  EXPECT_EQ(other.find(cache_key("other model", {"a", std::string("\0\n", 2)})), std::nullopt);
}

TEST_F(RedisCacheTest, UsesThePasswordOfTheEnvironmentAgainAfterALoss) {
  redis::Connection(server_->endpoint(), 5).command({"CONFIG", "SET", "requirepass", "secret"});
  EXPECT_THROW(RedisCache(server_->endpoint(), 60, clock_), RunError);
  setenv(redis::password_variable, "secret", 1);
  RedisCache cache(server_->endpoint(), 60, clock_);
  cache.keep("key", "answer");
  redis::Connection(server_->endpoint(), 5).command({"CLIENT", "KILL", "TYPE", "normal"});
  EXPECT_THROW(cache.find("key"), RunError);
  clock_.time_s += 10;
  EXPECT_EQ(cache.find("key"), "answer");
  unsetenv(redis::password_variable);
}

TEST_F(RedisCacheTest, LetsRedisForgetAfterTheTime) {
  RedisCache cache(server_->endpoint(), 60, clock_);
  cache.keep("key", "answer");
  redis::Connection connection(server_->endpoint(), 5);
  const auto left_ms = connection.command({"PTTL", "epochcast:answer:key"}).integer;
  EXPECT_GT(left_ms, 0);
  EXPECT_LE(left_ms, 60'000);
  RedisCache brief(server_->endpoint(), 0.001, clock_);
  brief.keep("brief", "answer");
  while (brief.find("brief")) {
  }
}

TEST_F(RedisCacheTest, ALostRedisIsAskedAgainAfterAWhile) {
  RedisCache cache(server_->endpoint(), 60, clock_);
  cache.keep("key", "answer");
  server_->kill();
  EXPECT_THROW(cache.find("key"), RunError);
  server_->start();
  EXPECT_THROW(cache.find("key"), RunError);
  clock_.time_s += 5;
  EXPECT_EQ(cache.find("key"), std::nullopt);  // it has forgotten all
  cache.keep("key", "answer");
  EXPECT_EQ(cache.find("key"), "answer");
}

TEST_F(RedisCacheTest, TheServiceGoesOnWithoutIt) {
  KnownPredictor predictor(0, 0);
  const RunningService service(predictor, {.serve = {.redis = address()}});
  RawClient client(service.port());
  const auto request = request_text("POST", "/predict", R"({"text": ["a"]})");
  client.send(request);
  EXPECT_TRUE(client.receive().has("X-MLAPI-Cache: MISS"));
  client.send(request);
  EXPECT_TRUE(client.receive().has("X-MLAPI-Cache: HIT"));
  server_->kill();
  client.send(request);
  EXPECT_TRUE(client.receive().has("X-MLAPI-Cache: MISS"));
  client.send(request_text("GET", "/metrics"));
  EXPECT_THAT(client.receive().body, testing::HasSubstr("epochcast_cache_failures_total 2\n"));
}

TEST_F(RedisCacheTest, TheServiceDoesNotStartWithoutIt) {
  KnownPredictor predictor(0, 0);
  const auto nowhere = "127.0.0.1:" + std::to_string(free_port());
  RunningService service(predictor, {.serve = {.redis = nowhere}});
  service.stop();
  EXPECT_EQ(service.failure(), "Redis at " + nowhere + ": Connection refused");
  RunningService misnamed(predictor, {.serve = {.redis = "localhost"}});
  misnamed.stop();
  EXPECT_EQ(misnamed.failure(), "--redis: found 'localhost', expected HOST:PORT");
}

}  // namespace
}  // namespace epochcast::serve
