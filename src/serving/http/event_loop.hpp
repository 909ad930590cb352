// A loop that calls functions at their times, and when a descriptor is readable. Implemented with
// Boost.Asio, which only src/serving/http includes.
#pragma once

#include <functional>
#include <memory>

#include "src/base/core/clock.hpp"

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
  void when_readable(int descriptor, const std::function<void()>& action);
  /// Returns after stop().
  void run();
  void stop();

 private:
  friend class Client;
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace epochcast::http
