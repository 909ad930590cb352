// A TCP connection that carries lines of text and never blocks. What the other end can make it hold
// is bounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/descriptor.hpp"

namespace epochcast::ranks {

/// The two ends of a connection.
enum class End { rank_zero, caller };

/// Both ends give a number that they use once (a nonce, from random_digits()). Secret and nonces
/// make the key of the session, and every line carries an HMAC-SHA-256 of its direction, its number
/// and its text. So a line that another process made, repeated, left out or changed is recognized;
/// the secret itself is never sent. The text is not encrypted.
class Session {
 public:
  Session(End own, std::string_view secret, std::string_view nonce_of_rank_zero,
          std::string_view nonce_of_caller);

  /// "PROOF TEXT", the next line to send.
  std::string seal(std::string_view text);

  /// The text of the next line received; std::nullopt if the other end did not seal it so.
  std::optional<std::string> open(std::string_view line);

 private:
  std::string proof(End from, std::uint64_t number, std::string_view text) const;

  End own_;
  std::string key_;
  std::uint64_t sealed_ = 0;
  std::uint64_t opened_ = 0;
};

class LineSocket {
 public:
  /// Takes ownership of a connected socket.
  explicit LineSocket(Descriptor descriptor);

  int number() const { return descriptor_.number(); }

  /// Sends as much as the connection accepts at once and keeps the rest for the next call.
  void send(std::string_view line);

  /// The next complete line that has arrived; std::nullopt if there is none yet.
  std::optional<std::string> receive_line();
  /// All complete lines that have arrived.
  std::vector<std::string> receive();

  /// From now on seals what is sent, and expects what arrives to be sealed.
  void begin(const Session& session) { session_ = session; }

  /// Whether the other end has closed the connection, the connection is broken, or the other end
  /// has sent a line that is too long or not of this session.
  bool is_closed() const { return closed_; }

  /// The local address of the connection: the other host reaches this host at this address.
  std::string local_address() const;

 private:
  void read_on();
  std::size_t line_limit_bytes() const;

  Descriptor descriptor_;
  std::optional<Session> session_;
  std::string unsent_;
  std::string received_;
  bool closed_ = false;
};

/// Whether `host` names this machine alone: "localhost", or an address of 127.0.0.0/8.
bool is_loopback(const std::string& host);

/// Listens on the first of `ports` that is free (0: any free port); where `host` is this machine
/// alone, on its loopback address, else on all addresses. Throws RunError if none is free.
Descriptor listen_on(const std::vector<std::int64_t>& ports, const std::string& host);

/// The port of a socket of this process.
std::int64_t port_of(const Descriptor& socket);

/// The next waiting connection; std::nullopt if there is none.
std::optional<LineSocket> accept_from(const Descriptor& listener);

/// Tries once to connect, for at most `timeout_s`. Returns std::nullopt if nothing listens there.
/// Throws RunError if the host has no address.
std::optional<LineSocket> connect_to(const std::string& host, std::int64_t port, double timeout_s);

}  // namespace epochcast::ranks
