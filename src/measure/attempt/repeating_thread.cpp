#include "src/measure/attempt/repeating_thread.hpp"

#include <pthread.h>

#include "src/base/core/signals.hpp"

namespace epochcast::attempt {

RepeatingThread::~RepeatingThread() {
  stop();
}

void RepeatingThread::start(std::chrono::duration<double> interval, std::function<void()> action) {
  action_ = std::move(action);
  const BlockedSignals blocked;
  thread_ = std::thread([this, interval] { run(interval); });
}

void RepeatingThread::run(std::chrono::duration<double> interval) {
  pthread_setname_np(pthread_self(), "recorder");
  try {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval, [this] { return ends_; })) {
      lock.unlock();
      action_();
      lock.lock();
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void RepeatingThread::stop() {
  if (!thread_.joinable()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void RepeatingThread::rethrow() const {
  if (failure_) {
    std::rethrow_exception(failure_);
  }
}

}  // namespace epochcast::attempt
