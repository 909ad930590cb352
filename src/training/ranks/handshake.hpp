// How both ends of a connection between ranks prove that they know the secret of the run, before
// either says anything else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/measure/attempt/place.hpp"
#include "src/training/ranks/line_socket.hpp"

namespace epochcast::ranks {

/// For the whole handshake; a rank whose time is up tries again.
inline constexpr double handshake_timeout_s = 2;

/// The ports of rank 0, which listens on the first that is free: that of the place, if it has one,
/// and those that follow from the secret, which no other process can take before.
std::vector<std::int64_t> ports_of(const attempt::RankPlace& place, const std::string& secret);

/// The next line; std::nullopt if the connection ends or the time is up without one.
std::optional<std::string> wait_for_line(LineSocket& socket, const Clock& clock, double end_s);

/// On a caller: proves, and returns whether the other end did too.
bool prove(LineSocket& socket, const std::string& secret, const Clock& clock, double end_s);

/// On rank 0: a connection that is not yet that of a rank.
class Caller {
 public:
  enum class State { unknown, proven, refused };

  Caller(LineSocket socket, std::string secret, double end_s);

  /// Reads what has arrived. Returns its first line after both have proved.
  std::optional<std::string> read_on(double now_s);

  State state() const { return state_; }
  int number() const { return socket_.number(); }
  LineSocket take_socket() { return std::move(socket_); }

 private:
  void take(const std::string& line);

  LineSocket socket_;
  std::string secret_;
  std::string nonce_;
  double end_s_;
  bool has_session_ = false;
  State state_ = State::unknown;
};

}  // namespace epochcast::ranks
