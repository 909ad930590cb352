// Threads that work off a queue of tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <vector>

namespace epochcast::image {

/// `threads` threads, at least one, that sleep while the queue is empty. Destruction drops the
/// tasks that have not begun and waits for those that have. All functions may be called from any
/// thread but the pool's own.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Queues `task`; its result or exception comes through the future. A dropped task breaks its
  /// promise.
  template <class Task>
  std::future<std::invoke_result_t<Task>> submit(Task task) {
    // std::function wants to copy, a packaged_task cannot be
    auto packaged =
        std::make_shared<std::packaged_task<std::invoke_result_t<Task>()>>(std::move(task));
    auto result = packaged->get_future();
    push([packaged] { (*packaged)(); });
    return result;
  }

  /// Drops all tasks that have not begun.
  void clear();

 private:
  void push(std::function<void()> task);
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

/// Calls `body(i)` for i in [0, count) on `threads` threads and returns when all are done. The
/// first exception ends the rest early and is thrown here.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace epochcast::image
