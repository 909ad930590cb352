#include "src/stream/redis.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <cstdlib>

#include "src/core/text.hpp"

namespace epochcast::stream {
namespace {

constexpr timeval connect_time{2, 0};
constexpr timeval answer_time{10, 0};

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

RedisReply copy_of(const redisReply& reply) {
  RedisReply copy{.is_nil = reply.type == REDIS_REPLY_NIL, .integer = reply.integer};
  if (reply.str != nullptr) {
    copy.text.assign(reply.str, static_cast<std::size_t>(reply.len));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(reply.elements); ++i) {
    copy.parts.push_back(copy_of(*reply.element[i]));
  }
  return copy;
}

}  // namespace

void Redis::Close::operator()(redisContext* context) const {
  redisFree(context);
}

Redis::Redis(std::string host, int port) : host_(std::move(host)), port_(port) {}

void Redis::connect() {
  context_.reset(redisConnectWithTimeout(host_.c_str(), port_, connect_time));
  if (!context_ || context_->err != 0) {
    const std::string reason = context_ ? context_->errstr : "no memory";
    context_.reset();
    throw RedisLost(fmt::format("Redis at {}:{}: {}", host_, port_, reason));
  }
  redisSetTimeout(context_.get(), answer_time);
  if (const char* password = std::getenv("EPOCHCAST_REDIS_PASSWORD")) {
    send({"AUTH", password});
  }
}

RedisReply Redis::command(const std::vector<std::string>& words) {
  if (!context_) {
    connect();
  }
  return send(words);
}

RedisReply Redis::send(const std::vector<std::string>& words) {
  std::vector<const char*> starts;
  std::vector<std::size_t> sizes;
  for (const auto& word : words) {
    starts.push_back(word.data());
    sizes.push_back(word.size());
  }
  const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(redisCommandArgv(
      context_.get(), static_cast<int>(words.size()), starts.data(), sizes.data())));
  if (!reply) {
    const std::string reason = context_->errstr;
    context_.reset();
    throw RedisLost(fmt::format("Redis at {}:{}: {}", host_, port_, reason));
  }
  if (reply->type == REDIS_REPLY_ERROR) {
    throw RedisRefused(fmt::format("Redis at {}:{}: {}: {}", host_, port_, words[0],
                                   std::string(reply->str, static_cast<std::size_t>(reply->len))));
  }
  return copy_of(*reply);
}

RedisPlace parse_redis_place(const std::string& where) {
  const auto slash = where.starts_with("//") ? where.find('/', 2) : std::string::npos;
  const auto colon = where.rfind(':', slash);
  std::int64_t port = 0;
  if (slash != std::string::npos && colon != std::string::npos && colon > 2) {
    port = parse_integer(where.substr(colon + 1, slash - colon - 1)).value_or(0);
  }
  if (port < 1 || port > 65535 || slash + 1 == where.size()) {
    throw Error(fmt::format("found 'redis:{}', expected redis://HOST:PORT/KEY", where));
  }
  return {where.substr(2, colon - 2), static_cast<int>(port), where.substr(slash + 1)};
}

std::string last_stream_id(Redis& redis, const std::string& key) {
  try {
    const auto about = redis.command({"XINFO", "STREAM", key});
    for (std::size_t i = 0; i + 1 < about.parts.size(); i += 2) {
      if (about.parts[i].text == "last-generated-id") {
        return about.parts[i + 1].text;
      }
    }
  } catch (const RedisRefused& error) {
    if (std::string_view(error.what()).find("no such key") == std::string_view::npos) {
      throw;
    }
  }
  return "0-0";
}

void add_to_stream(Redis& redis, const std::string& key, std::int64_t number,
                   const std::string& field, const std::string& value) {
  try {
    redis.command({"XADD", key, fmt::format("{}-0", number), field, value});
  } catch (const RedisRefused&) {
    const auto last = last_stream_id(redis, key);
    if (parse_integer(last.substr(0, last.find('-'))).value_or(0) < number) {
      throw;
    }
  }
}

}  // namespace epochcast::stream
