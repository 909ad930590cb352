#include "src/serving/service/redis_cache.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/error.hpp"

namespace epochcast::serve {
namespace {

constexpr double start_limit_s = 2;
constexpr double limit_s = 0.2;  // an answer that takes longer costs more than a forward pass
constexpr double pause_s = 5;

/// Keys of others in the same Redis begin with something else.
std::string full_key(const std::string& key) {
  return "epochcast:answer:" + key;
}

}  // namespace

RedisCache::RedisCache(const redis::Endpoint& endpoint, double time_s, const Clock& clock)
    : endpoint_(endpoint),
      time_ms_(std::to_string(std::max<std::int64_t>(1, std::llround(time_s * 1000)))),
      clock_(clock) {
  redis::Connection(endpoint, start_limit_s).command({"PING"});
}

std::optional<std::string> RedisCache::find(const std::string& key) {
  auto value = command({"GET", full_key(key)});
  if (value.kind != redis::Value::Kind::text) {
    return std::nullopt;
  }
  return std::move(value.text);
}

void RedisCache::keep(const std::string& key, const std::string& answer) {
  command({"SET", full_key(key), answer, "PX", time_ms_});
}

redis::Value RedisCache::command(const std::vector<std::string_view>& words) {
  const std::lock_guard lock(mutex_);
  if (clock_.now_s() < try_again_s_) {
    throw RunError("Redis did not answer a moment ago");
  }
  try {
    if (connection_ == nullptr) {
      connection_ = std::make_unique<redis::Connection>(endpoint_, limit_s);
    }
    return connection_->command(words);
  } catch (const RunError&) {
    connection_.reset();
    try_again_s_ = clock_.now_s() + pause_s;
    throw;
  }
}

}  // namespace epochcast::serve
