// A TCP connection that carries lines of text and never waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/descriptor.hpp"

namespace epochcast::ranks {

class LineSocket {
 public:
  /// Takes a connected socket.
  explicit LineSocket(Descriptor descriptor);

  int number() const { return descriptor_.number(); }

  /// Sends what the connection takes at once and keeps the rest for the next call.
  void send(std::string_view line);

  /// The whole lines that have arrived.
  std::vector<std::string> receive();

  /// The other end has closed, or the connection is broken.
  bool is_closed() const { return closed_; }

  /// The address of this end: the one by which this host reaches the other, and so is reached by
  /// it.
  std::string local_address() const;

 private:
  Descriptor descriptor_;
  std::string unsent_;
  std::string received_;
  bool closed_ = false;
};

/// Listens on `port` of all addresses of this host (0: any free one). Throws RunError: the port is
/// in use.
Descriptor listen_on(std::int64_t port);

/// The next caller, if one is waiting.
std::optional<LineSocket> accept_from(const Descriptor& listener);

/// Calls once, waiting up to `timeout_s` for the answer; nothing where nobody answers. Throws
/// RunError where the host has no address.
std::optional<LineSocket> connect_to(const std::string& host, std::int64_t port, double timeout_s);

/// The name of this host.
std::string host_name();

}  // namespace epochcast::ranks
