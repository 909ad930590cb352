// Requests of HTTP/1.1 to one service over many kept connections, all in the thread of one loop.
// Implemented with Boost.Beast, which only src/serving/http includes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "src/serving/http/address.hpp"
#include "src/serving/http/event_loop.hpp"

namespace epochcast::http {

/// Why there is no answer.
enum class Failure {
  none,
  connection,  ///< Refused, closed before the end of the answer, or what came is not HTTP.
  timeout,     ///< Nothing came before the deadline.
};

struct Answer {
  Failure failure = Failure::none;
  int status = 0;
  std::string body;
  std::string reason;     ///< Of a failure, in words.
  double sent_s = 0;      ///< When the request had a connection; 0: never.
  double answered_s = 0;  ///< When the whole answer was here, or the failure.

  /// Whether the service answered with status 200.
  bool is_ok() const;
};

class Client {
 public:
  /// At most `connections` at a time. They are opened when they are needed. Throws Error if the
  /// host has no address. The loop must live longer.
  Client(EventLoop& loop, const Address& address, std::size_t connections);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends the bytes of a request (request_bytes) on a free connection, as soon as there is one,
  /// and calls `done` once, from the loop. A kept connection that the service has closed meanwhile
  /// is replaced by a new one, once. At `deadline_s` the request has failed.
  void send(std::shared_ptr<const std::string> request, double deadline_s,
            std::function<void(Answer)> done);

 private:
  struct Job;
  class Connection;
  struct Body;
  std::shared_ptr<Body> body_;
};

/// Sends one request and waits for its answer.
Answer ask(const Address& address, const std::string& request, double timeout_s);

}  // namespace epochcast::http
