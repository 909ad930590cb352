// Threads that process a queue of tasks.
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

/// Runs `threads` threads (at least one), which sleep while the queue is empty. The destructor
/// drops the tasks that have not started and waits for those that have. Any thread may call the
/// functions, except the threads of the pool.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(WorkerPool&&) = delete;

  /// Queues `task`. The future returns its result or exception. A dropped task breaks its promise.
  template <class Task>
  std::future<std::invoke_result_t<Task>> submit(Task task) {
    // std::function must be copyable; a packaged_task is not
    auto packaged =
        std::make_shared<std::packaged_task<std::invoke_result_t<Task>()>>(std::move(task));
    auto result = packaged->get_future();
    push([packaged] { (*packaged)(); });
    return result;
  }

  /// Drops all tasks that have not started.
  void clear();

 private:
  void push(std::function<void()> task);
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::jthread> threads_;  // last: they use all members above
};

/// Calls `body(i)` for i in [0, count) on `threads` threads and returns when all calls are done.
/// The first exception ends the others early and is rethrown here.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace epochcast::image
