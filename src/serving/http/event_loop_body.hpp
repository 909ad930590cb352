// What the loop is made of. For the files of src/serving/http alone.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "src/serving/http/event_loop.hpp"

namespace epochcast::http {

namespace asio = boost::asio;

/// The time of the system's steady clock at `when_s` of `clock`; now if that is past.
std::chrono::steady_clock::time_point steady_time(const Clock& clock, double when_s);

struct EventLoop::Body {
  explicit Body(const Clock& its_clock) : clock(its_clock) {}

  const Clock& clock;
  asio::io_context context{1};
  std::vector<std::unique_ptr<asio::posix::stream_descriptor>> watched;

  void watch(asio::posix::stream_descriptor& descriptor, const std::function<void()>& action);
};

}  // namespace epochcast::http
