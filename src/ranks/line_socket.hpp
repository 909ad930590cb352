// A TCP connection that carries lines of text and never blocks.
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
  /// Takes ownership of a connected socket.
  explicit LineSocket(Descriptor descriptor);

  int number() const { return descriptor_.number(); }

  /// Sends as much as the connection accepts at once and keeps the rest for the next call.
  void send(std::string_view line);

  /// Returns the complete lines that have arrived.
  std::vector<std::string> receive();

  /// Whether the other end has closed the connection or the connection is broken.
  bool is_closed() const { return closed_; }

  /// The local address of the connection: the other host reaches this host at this address.
  std::string local_address() const;

 private:
  Descriptor descriptor_;
  std::string unsent_;
  std::string received_;
  bool closed_ = false;
};

/// Listens on `port` of all addresses of this host (0: any free port). Throws RunError if the port
/// is in use.
Descriptor listen_on(std::int64_t port);

/// The next waiting connection; std::nullopt if there is none.
std::optional<LineSocket> accept_from(const Descriptor& listener);

/// Tries once to connect, for at most `timeout_s`. Returns std::nullopt if nothing listens there.
/// Throws RunError if the host has no address.
std::optional<LineSocket> connect_to(const std::string& host, std::int64_t port, double timeout_s);

/// The name of this host.
std::string host_name();

}  // namespace epochcast::ranks
