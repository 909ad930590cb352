// A connection to Redis with exceptions. The implementation is the only file of this folder that
// includes hiredis.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/core/error.hpp"

struct redisContext;
struct redisReply;

namespace epochcast::stream {

/// The connection is lost or could not be made; the command may have been carried out.
class RedisLost : public RunError {
 public:
  using RunError::RunError;
};

/// Redis has refused the command.
class RedisRefused : public RunError {
 public:
  using RunError::RunError;
};

struct RedisReply {
  bool is_nil = false;
  std::int64_t integer = 0;
  std::string text;
  std::vector<RedisReply> parts;
};

/// Not thread-safe.
class Redis {
 public:
  /// Connects at the first command, and again after a loss. The password is that of the environment
  /// variable EPOCHCAST_REDIS_PASSWORD; without it, none is sent.
  Redis(std::string host, int port);

  /// Throws RedisLost and RedisRefused. It takes at most a few seconds longer than the command.
  RedisReply command(const std::vector<std::string>& words);

 private:
  struct Close {
    void operator()(redisContext* context) const;
  };
  void connect();
  RedisReply send(const std::vector<std::string>& words);

  std::string host_;
  int port_;
  std::unique_ptr<redisContext, Close> context_;
};

/// "redis://HOST:PORT/KEY"
struct RedisPlace {
  std::string host;
  int port = 0;
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
