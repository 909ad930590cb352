#include "src/serving/stream/redis.hpp"

#include <fmt/format.h>

#include <string_view>

#include "src/base/core/text.hpp"

namespace epochcast::stream {
namespace {

constexpr double answer_s = 10;

}  // namespace

Redis::Redis(redis::Endpoint endpoint) : endpoint_(std::move(endpoint)) {}

redis::Value Redis::command(const std::vector<std::string>& words) {
  try {
    if (!connection_) {
      connection_.emplace(endpoint_, answer_s);
    }
    return connection_->command({words.begin(), words.end()});
  } catch (const redis::Refused&) {
    throw;
  } catch (const RunError& error) {
    connection_.reset();
    throw RedisLost(error.what());
  }
}

RedisPlace parse_redis_place(const std::string& where) {
  const auto slash = where.starts_with("//") ? where.find('/', 2) : std::string::npos;
  if (where.substr(0, slash).find('@') != std::string::npos) {
    redis::parse_endpoint(where);  // refuses it without repeating what may be a password
  }
  const auto refuse = [&]() -> RedisPlace {
    throw Error(fmt::format("found 'redis:{}', expected redis://HOST:PORT/KEY", where));
  };
  if (slash == std::string::npos || slash + 1 == where.size()) {
    return refuse();
  }
  try {
    return {redis::parse_endpoint(where.substr(2, slash - 2)), where.substr(slash + 1)};
  } catch (const Error&) {
    return refuse();
  }
}

std::string last_stream_id(Redis& redis, const std::string& key) {
  try {
    const auto about = redis.command({"XINFO", "STREAM", key});
    for (std::size_t i = 0; i + 1 < about.list.size(); i += 2) {
      if (about.list[i].text == "last-generated-id") {
        return about.list[i + 1].text;
      }
    }
  } catch (const redis::Refused& error) {
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
  } catch (const redis::Refused&) {
    const auto last = last_stream_id(redis, key);
    if (parse_integer(last.substr(0, last.find('-'))).value_or(0) < number) {
      throw;
    }
  }
}

}  // namespace epochcast::stream
