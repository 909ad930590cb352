// Answers kept in a Redis, which several services may share.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "src/base/core/clock.hpp"
#include "src/serving/redis/connection.hpp"
#include "src/serving/service/cache.hpp"

namespace epochcast::serve {

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
