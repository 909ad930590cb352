// A Redis that is connected to again after a loss, and its streams.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/serving/redis/connection.hpp"

namespace epochcast::stream {

/// The connection is lost or could not be made; the command may have been carried out.
class RedisLost : public RunError {
 public:
  using RunError::RunError;
};

/// Not thread-safe.
class Redis {
 public:
  /// Connects at the first command, and again after a loss.
  explicit Redis(redis::Endpoint endpoint);

  /// Throws RedisLost and redis::Refused. It waits for the answer for at most 10 s.
  redis::Value command(const std::vector<std::string>& words);

 private:
  redis::Endpoint endpoint_;
  std::optional<redis::Connection> connection_;
};

/// "redis://HOST:PORT/KEY"
struct RedisPlace {
  redis::Endpoint endpoint;
  std::string key;
};

/// `where` is the part after "redis:". Throws Error if it has another form.
RedisPlace parse_redis_place(const std::string& where);

/// The id of the last entry that was ever added to the stream, "7-0"; "0-0": there was none.
std::string last_stream_id(Redis& redis, const std::string& key);

/// Adds the entry NUMBER-0 with one field, unless an entry with this or a higher id was added
/// before: so it is added once, also by someone who does not know whether he has added it.
void add_to_stream(Redis& redis, const std::string& key, std::int64_t number,
                   const std::string& field, const std::string& value);

}  // namespace epochcast::stream
