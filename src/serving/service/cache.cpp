#include "src/serving/service/cache.hpp"

#include <iterator>

namespace epochcast::serve {

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

}  // namespace epochcast::serve
