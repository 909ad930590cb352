// A queue between two threads that holds a limited number of values.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace epochcast::stream {

template <class Value>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t most) : most_(most) {}

  /// Waits until there is room. False: the queue is closed, and the value was not taken.
  bool put(Value value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || values_.size() < most_; });
    if (closed_) {
      return false;
    }
    values_.push_back(std::move(value));
    changed_.notify_all();
    return true;
  }

  /// The oldest value; std::nullopt after `patience_s` without one, or if the queue is closed and
  /// empty.
  std::optional<Value> take_for(double patience_s) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(patience_s),
                      [&] { return closed_ || !values_.empty(); });
    if (values_.empty()) {
      return std::nullopt;
    }
    std::optional<Value> value(std::move(values_.front()));
    values_.pop_front();
    changed_.notify_all();
    return value;
  }

  /// No more values come; those inside can still be taken.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  /// Whether the queue is closed and empty.
  bool is_finished() const {
    const std::lock_guard lock(mutex_);
    return closed_ && values_.empty();
  }

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Value> values_;
  bool closed_ = false;
};

}  // namespace epochcast::stream
