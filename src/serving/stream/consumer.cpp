#include "src/serving/stream/consumer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/signals.hpp"
#include "src/serving/stream/answer.hpp"

namespace epochcast::stream {
namespace {

/// A queue between two threads that holds a limited number of values.
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

constexpr double tick_s = 0.1;
constexpr double least_retry_s = 0.05;
constexpr double most_retry_s = 2;
constexpr double message_every_s = 30;
constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

/// A batch on its way through the stages.
struct Work {
  Delivery delivery;
  AnsweredBatch answered;
};

class Consumer {
 public:
  explicit Consumer(const ConsumerParts& parts)
      : parts_(parts),
        to_1970_(wall_clock_s() - parts.clock.now_s()),
        received_(static_cast<std::size_t>(parts.options.ahead)),
        answered_(static_cast<std::size_t>(parts.options.ahead)) {}

  ConsumerEnd run() {
    {
      const BlockedSignals blocked;
      receiver_ = std::thread([this] { guarded([this] { receive_all(); }); });
      keeper_ = std::thread([this] { guarded([this] { keep_all(); }); });
    }
    guarded([this] { answer_all(); });
    receiver_.join();
    keeper_.join();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return end_;
  }

 private:
  /// Runs a stage. If it fails, all stages end.
  template <class Stage>
  void guarded(Stage stage) {
    try {
      stage();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) {
        failure_ = std::current_exception();
      }
      failed_ = true;
      received_.close();
      answered_.close();
      durable_.close();
    }
  }

  double now() const { return to_1970_ + parts_.clock.now_s(); }

  bool is_enough(std::int64_t on_the_way) const {
    const auto wanted = parts_.options.batches;
    return wanted > 0 && parts_.sink.batches_done() + on_the_way >= wanted;
  }

  /// The first stage. It also tells the source, which belongs to one thread.
  void receive_all() {
    std::int64_t on_the_way = 0;
    double last_batch_s = parts_.clock.now_s();
    const auto tell = [&](double patience_s) {
      while (const auto delivery = durable_.take_for(patience_s)) {
        parts_.source.done(*delivery);
        --on_the_way;
        patience_s = 0;
      }
    };
    while (!failed_ && !must_end(on_the_way, last_batch_s)) {
      tell(0);
      if (is_enough(on_the_way)) {
        tell(tick_s);
        continue;
      }
      if (auto delivery = parts_.source.next(tick_s)) {
        last_batch_s = parts_.clock.now_s();
        ++on_the_way;
        Work work{std::move(*delivery), {}};
        work.answered.received = now();
        received_.put(std::move(work));
      } else if (on_the_way > 0) {
        last_batch_s = parts_.clock.now_s();
      }
    }
    received_.close();
    while (!failed_ && on_the_way > 0) {
      tell(tick_s);
    }
  }

  bool must_end(std::int64_t on_the_way, double last_batch_s) {
    if (parts_.stop()) {
      end_ = ConsumerEnd::stopped;
    } else if (on_the_way == 0 && is_enough(0)) {
      end_ = ConsumerEnd::all_done;
    } else if (const double idle_s = parts_.options.idle.value;
               idle_s > 0 && parts_.clock.now_s() - last_batch_s >= idle_s) {
      end_ = ConsumerEnd::idle;
    } else {
      return false;
    }
    return true;
  }

  /// The second stage.
  void answer_all() {
    while (!received_.is_finished()) {
      if (auto work = received_.take_for(tick_s)) {
        answer(*work);
        answered_.put(std::move(*work));
      }
    }
    answered_.close();
  }

  void answer(Work& work) {
    const auto& batch = work.delivery.batch;
    auto& answered = work.answered;
    answered.start = now();
    answered.answers = answer_items(parts_.predictor, batch.items, parts_.options.forward);
    answered.end = now();
    answered.source = batch.source;
    answered.id = batch.id;
    answered.content = content_hash(batch);
    answered.triggered = batch.triggered;
  }

  /// The third stage.
  void keep_all() {
    double ticked_s = 0;
    while (!answered_.is_finished()) {
      if (auto work = answered_.take_for(tick_s)) {
        keep(work->answered);
        parts_.on_batch({work->answered, now()});
        durable_.put(std::move(work->delivery));
      }
      if (const double now_s = parts_.clock.now_s(); now_s - ticked_s >= 1) {
        ticked_s = now_s;
        parts_.on_tick();
      }
    }
  }

  void keep(const AnsweredBatch& batch) {
    double wait_s = least_retry_s;
    double told_s = -message_every_s;
    for (;;) {
      try {
        parts_.sink.commit(batch);
        return;
      } catch (const NotNow& error) {
        if (failed_ || parts_.stop()) {
          throw;
        }
        if (const double now_s = parts_.clock.now_s(); now_s - told_s >= message_every_s) {
          told_s = now_s;
          parts_.report(fmt::format("{}; trying again, and the stream waits", error.what()));
        }
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
      wait_s = std::min(2 * wait_s, most_retry_s);
    }
  }

  const ConsumerParts& parts_;
  const double to_1970_;
  BoundedQueue<Work> received_;
  BoundedQueue<Work> answered_;
  BoundedQueue<Delivery> durable_{unlimited};  // limited by the two before it
  std::thread receiver_;
  std::thread keeper_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
  ConsumerEnd end_ = ConsumerEnd::stopped;
};

}  // namespace

ConsumerEnd consume(const ConsumerParts& parts) {
  return Consumer(parts).run();
}

}  // namespace epochcast::stream
