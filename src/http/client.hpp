// Requests of HTTP/1.1 to one service over many kept connections, all in one thread. Implemented
// with Boost.Beast, which only src/http includes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "src/core/clock.hpp"
#include "src/http/address.hpp"

namespace epochcast::http {

/// Calls functions when their time has come or their descriptor has something to read. Everything
/// happens in the thread that calls run().
class EventLoop {
 public:
  explicit EventLoop(const Clock& clock);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  const Clock& clock() const;
  /// Calls `action` once, at `when_s` on the clock or, if that is past, as soon as possible.
  void at(double when_s, std::function<void()> action);
  /// Calls `action` whenever the descriptor is readable; the descriptor stays the caller's.
  void when_readable(int descriptor, std::function<void()> action);
  /// Returns after stop().
  void run();
  void stop();

 private:
  friend class Client;
  struct Body;
  std::unique_ptr<Body> body_;
};

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
