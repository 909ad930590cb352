// A connection to a Redis server. The implementation is the only file that includes hiredis.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast::redis {

/// What a command gave.
struct Value {
  enum class Kind { nothing, text, integer, list };
  Kind kind = Kind::nothing;
  std::string text = {};  ///< Any bytes; also that of a status, "OK".
  std::int64_t integer = 0;
  std::vector<Value> list = {};
};

struct Endpoint {
  std::string host;
  int port = 0;
};

/// The environment variable with the password of the server. It never stands on a command line.
inline constexpr const char* password_variable = "EPOCHCAST_REDIS_PASSWORD";

/// The parts of "HOST:PORT". Throws Error "found 'x', expected HOST:PORT"; the text of an address
/// that may contain a password is not repeated.
Endpoint parse_endpoint(std::string_view text);

/// Redis has refused a command; the connection is as good as before.
class Refused : public RunError {
 public:
  using RunError::RunError;
};

/// For one thread at a time. After any other RunError than Refused the connection is broken, and
/// the command may have been carried out: make another one.
class Connection {
 public:
  /// Sends the password if the environment has one. Throws RunError "Redis at HOST:PORT: reason" if
  /// it does not answer within `limit_s`, Refused if it does not accept the password.
  Connection(const Endpoint& endpoint, double limit_s);

  /// Sends a command, each word any bytes, and waits for its value: for the limit, and if the
  /// command itself blocks there, for `blocks_s` more. Throws Refused, or RunError if Redis does
  /// not answer.
  Value command(const std::vector<std::string_view>& words, double blocks_s = 0);

 private:
  struct Closer {
    void operator()(void* context) const;
  };

  std::string name_;
  double limit_s_;
  std::unique_ptr<void, Closer> context_;
};

}  // namespace epochcast::redis
