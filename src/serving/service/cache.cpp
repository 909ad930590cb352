#include "src/serving/service/cache.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

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

std::string cache_key(const std::string& model, const std::vector<std::string>& items) {
  std::string key = std::to_string(model.size()) + ":" + model;
  for (const auto& item : items) {
    key += std::to_string(item.size()) + ":" + item;
  }
  return key;
}

MemoryCache::MemoryCache(const MemoryCacheOptions& options, const Clock& clock)
    : options_(options), clock_(clock) {}

std::optional<std::string> MemoryCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) {
    return std::nullopt;
  }
  if (found->second->until_s <= clock_.now_s()) {
    remove(found->second);
    return std::nullopt;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return entries_.front().answer;
}

void MemoryCache::keep(const std::string& key, const std::string& answer) {
  const std::lock_guard lock(mutex_);
  if (const auto found = places_.find(key); found != places_.end()) {
    remove(found->second);
  }
  if (key.size() + answer.size() > options_.bytes) {
    return;
  }
  entries_.push_front({key, answer, clock_.now_s() + options_.time_s});
  places_.emplace(entries_.front().key, entries_.begin());
  bytes_ += entries_.front().bytes();
  while (entries_.size() > options_.entries || bytes_ > options_.bytes) {
    remove(std::prev(entries_.end()));
  }
}

std::size_t MemoryCache::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void MemoryCache::remove(Place place) {
  bytes_ -= place->bytes();
  places_.erase(place->key);
  entries_.erase(place);
}

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
