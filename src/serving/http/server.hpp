// A server of HTTP/1.1 with limits on all that a client can make it hold: bytes, connections, time.
// Implemented with Boost.Beast, which only src/serving/http includes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/serving/http/message.hpp"

namespace epochcast::http {

struct ServerOptions {
  std::string host = "127.0.0.1";  ///< A name or an address, IPv4 or IPv6.
  std::uint16_t port = 0;          ///< 0: any free port.
  int threads = 2;
  std::size_t connections = 512;  ///< One more is answered 503 and closed.
  std::size_t header_bytes = 16384;
  std::size_t body_bytes = std::size_t(4) << 20;
  double receive_s = 10;  ///< From the first byte of a request to its last.
  double send_s = 10;     ///< For a whole answer.
  double idle_s = 75;     ///< Between two requests of a connection.
};

/// What a server counts. Any thread may read them at any time.
struct ServerCounts {
  std::atomic<std::size_t> connections{0};  ///< Open now.
  std::atomic<std::size_t> accepted{0};     ///< All since the start.
  std::atomic<std::size_t> refused{0};      ///< Closed at once: there were too many.
  std::atomic<std::size_t> cut_off{0};      ///< Closed because the client was too slow.
};

/// What answers the requests.
class Handler {
 public:
  ServerCounts counts;  ///< The server writes them; here, since a handler outlives its server.

  virtual ~Handler() = default;

  /// Calls `reply` once, now or later. Called from several threads at once. A request whose `reply`
  /// is destroyed without a call, or for which this throws, is answered 500.
  virtual void handle(Request request, Reply reply) = 0;

  /// A response was handed over for sending. `path` is empty if the server itself refused what it
  /// received: 400, 413, 431 or 503.
  virtual void answered(const std::string& path, int status) = 0;
};

class Server {
 public:
  /// Listens and answers from now on. `handler` outlives this object; the replies that it keeps are
  /// called or destroyed before. Throws Error if the host has no address, RunError if it cannot
  /// listen there or may not open so many connections.
  Server(const ServerOptions& options, Handler& handler);
  /// Closes all connections, whatever they wait for.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

  /// From here on each answer is the last of its connection. Call it before the handler begins to
  /// refuse: who is refused shall not ask again over the same connection.
  void start_draining();

  /// Lets every request that has begun to arrive be answered, and closes its connection after that;
  /// then closes the others and listens no more. Returns the number of requests that were not
  /// answered within `limit_s`.
  std::size_t drain(double limit_s);

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace epochcast::http
