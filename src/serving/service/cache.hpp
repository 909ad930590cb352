// Answers that are kept for a while, for requests that come again.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/serving/redis/connection.hpp"

namespace epochcast::serve {

/// Any thread may call any function. Throws RunError if the store cannot be reached: the service
/// then goes on without it.
class Cache {
 public:
  virtual ~Cache() = default;
  virtual std::optional<std::string> find(const std::string& key) = 0;
  virtual void keep(const std::string& key, const std::string& answer) = 0;
};

/// Names the model and the items, whatever bytes they have.
std::string cache_key(const std::string& model, const std::vector<std::string>& items);

struct MemoryCacheOptions {
  double time_s = 60;  ///< An answer is not given later than this after it was kept.
  std::size_t entries = 10000;
  std::size_t bytes = std::size_t(64) << 20;  ///< Of keys and answers; a larger one is not kept.
};

/// In this process. Makes room by forgetting what was not asked for the longest.
class MemoryCache : public Cache {
 public:
  MemoryCache(const MemoryCacheOptions& options, const Clock& clock);

  std::optional<std::string> find(const std::string& key) override;
  void keep(const std::string& key, const std::string& answer) override;

  std::size_t entries() const;

 private:
  struct Entry {
    std::string key;
    std::string answer;
    double until_s = 0;
    std::size_t bytes() const { return key.size() + answer.size(); }
  };
  using Place = std::list<Entry>::iterator;

  void remove(Place place);

  const MemoryCacheOptions options_;
  const Clock& clock_;
  mutable std::mutex mutex_;  ///< Of what follows.
  std::list<Entry> entries_;  ///< The one asked for last in front.
  std::unordered_map<std::string_view, Place> places_;
  std::size_t bytes_ = 0;
};

/// Redis itself forgets an answer after its time. When it does not answer, every use throws for a
/// while without asking again, so that a lost Redis costs little time.
class RedisCache : public Cache {
 public:
  /// Throws RunError if Redis does not answer.
  RedisCache(const redis::Endpoint& endpoint, double time_s, const Clock& clock);

  std::optional<std::string> find(const std::string& key) override;
  void keep(const std::string& key, const std::string& answer) override;

 private:
  redis::Value command(const std::vector<std::string_view>& words);

  const redis::Endpoint endpoint_;
  const std::string time_ms_;
  const Clock& clock_;
  std::mutex mutex_;  ///< Of what follows.
  std::unique_ptr<redis::Connection> connection_;
  double try_again_s_ = 0;
};

}  // namespace epochcast::serve
