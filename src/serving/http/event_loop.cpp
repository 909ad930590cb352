#include "src/serving/http/event_loop.hpp"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "src/serving/http/event_loop_body.hpp"

namespace epochcast::http {

std::chrono::steady_clock::time_point steady_time(const Clock& clock, double when_s) {
  const std::chrono::duration<double> wait(std::max(0.0, when_s - clock.now_s()));
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
}

void EventLoop::Body::watch(asio::posix::stream_descriptor& descriptor,
                            const std::function<void()>& action) {
  descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                        [this, &descriptor, action](boost::system::error_code error) {
                          if (!error) {
                            action();
                            watch(descriptor, action);
                          }
                        });
}

EventLoop::EventLoop(const Clock& clock) : body_(std::make_unique<Body>(clock)) {}

EventLoop::~EventLoop() {
  for (const auto& descriptor : body_->watched) {
    descriptor->release();  // it is not ours to close
  }
}

const Clock& EventLoop::clock() const {
  return body_->clock;
}

void EventLoop::at(double when_s, std::function<void()> action) {
  auto timer = std::make_shared<asio::steady_timer>(body_->context);
  timer->expires_at(steady_time(body_->clock, when_s));
  timer->async_wait([timer, action = std::move(action)](boost::system::error_code error) {
    if (!error) {
      action();
    }
  });
}

void EventLoop::when_readable(int descriptor, const std::function<void()>& action) {
  body_->watched.push_back(
      std::make_unique<asio::posix::stream_descriptor>(body_->context, descriptor));
  body_->watch(*body_->watched.back(), action);
}

void EventLoop::run() {
  body_->context.restart();
  const auto guard = asio::make_work_guard(body_->context);
  body_->context.run();
}

void EventLoop::stop() {
  body_->context.stop();
}

}  // namespace epochcast::http
