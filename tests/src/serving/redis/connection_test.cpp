#include "src/serving/redis/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serving/redis_server.hpp"

namespace epochcast::redis {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RedisEndpoint, IsAHostAndAPort) {
  EXPECT_EQ(parse_endpoint("node7:6379").host, "node7");
  EXPECT_EQ(parse_endpoint("node7:6379").port, 6379);
  EXPECT_EQ(parse_endpoint("::1:6379").host, "::1");
  for (const char* text : {"", "node7", "node7:", ":6379", "node7:0", "node7:65536", "node7:x"}) {
    EXPECT_THAT(error_of([&] { parse_endpoint(text); }), HasSubstr("expected HOST:PORT")) << text;
  }
}

TEST(RedisConnectionToNothing, IsAFailureThatNamesTheAddress) {
  const int port = free_port();
  EXPECT_THAT(error_of([&] {
                Connection({"127.0.0.1", port}, 1);
              }),
              HasSubstr("Redis at 127.0.0.1:" + std::to_string(port) + ": Connection refused"));
}

class RedisConnection : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) {
      GTEST_SKIP() << "redis-server is not installed";
    }
    server_ = std::make_unique<RedisServer>();
  }
  std::unique_ptr<RedisServer> server_;
};

TEST_F(RedisConnection, CarriesAnyBytes) {
  Connection connection(server_->endpoint(), 5);
  const std::string bytes("\0\r\n\xff %s *3", 10);
  EXPECT_EQ(connection.command({"SET", bytes, bytes}).text, "OK");
  EXPECT_EQ(connection.command({"GET", bytes}).text, bytes);
  EXPECT_EQ(connection.command({"GET", "another"}).kind, Value::Kind::nothing);
  EXPECT_EQ(connection.command({"SET", "empty", ""}).text, "OK");
  EXPECT_EQ(connection.command({"GET", "empty"}).kind, Value::Kind::text);
}

TEST_F(RedisConnection, GivesNumbersAndLists) {
  Connection connection(server_->endpoint(), 5);
  EXPECT_EQ(connection.command({"RPUSH", "list", "a", "b"}).integer, 2);
  const auto list = connection.command({"LRANGE", "list", "0", "-1"});
  ASSERT_EQ(list.list.size(), 2U);
  EXPECT_EQ(list.list[1].text, "b");
}

TEST_F(RedisConnection, SaysWhyACommandWasRefused) {
  Connection connection(server_->endpoint(), 5);
  EXPECT_THAT(error_of([&] { connection.command({"NOSUCH"}); }), HasSubstr("unknown command"));
  EXPECT_EQ(connection.command({"PING"}).text, "PONG");
}

TEST(RedisEndpoint, DoesNotRepeatAPassword) {
  for (const char* text : {"user:secret@node7:6379", ":secret@node7:6379", "secret@node7"}) {
    const auto error = error_of([&] { parse_endpoint(text); });
    EXPECT_THAT(error, HasSubstr("the password belongs in the environment"));
    EXPECT_THAT(error, Not(HasSubstr("secret")));
  }
}

TEST_F(RedisConnection, SendsThePasswordOfTheEnvironment) {
  Connection(server_->endpoint(), 5).command({"CONFIG", "SET", "requirepass", "secret"});
  EXPECT_THAT(error_of([&] { Connection(server_->endpoint(), 5).command({"PING"}); }),
              HasSubstr("Authentication required. Set EPOCHCAST_REDIS_PASSWORD to its password."));
  setenv(password_variable, "guess", 1);
  const auto wrong = error_of([&] { Connection(server_->endpoint(), 5); });
  EXPECT_THAT(wrong, HasSubstr("AUTH: WRONGPASS"));
  EXPECT_THAT(wrong, Not(HasSubstr("guess")));
  setenv(password_variable, "secret", 1);
  EXPECT_EQ(Connection(server_->endpoint(), 5).command({"PING"}).text, "PONG");
  unsetenv(password_variable);
}

TEST_F(RedisConnection, FailsWhenTheServerIsKilled) {
  Connection connection(server_->endpoint(), 5);
  server_->kill();
  EXPECT_THAT(error_of([&] { connection.command({"PING"}); }), HasSubstr("Redis at 127.0.0.1"));
}

TEST_F(RedisConnection, WaitsNoLongerThanItsLimit) {
  Connection connection(server_->endpoint(), 0.1);
  EXPECT_THAT(error_of([&] {
                connection.command({"BLPOP", "none", "20"});
              }),
              HasSubstr("Redis at"));
}

}  // namespace
}  // namespace epochcast::redis
