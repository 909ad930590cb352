#include "src/training/image/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace epochcast::image {

WorkerPool::WorkerPool(int threads) {
  for (int i = 0; i < std::max(1, threads); ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

WorkerPool::~WorkerPool() {
  clear();
  for (std::jthread& thread : threads_) {
    thread.request_stop();
  }
}

void WorkerPool::clear() {
  std::deque<std::function<void()>> dropped;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  queue_.swap(dropped);
}

void WorkerPool::push(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void WorkerPool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !queue_.empty(); }) && !stop.stop_requested()) {
    std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  const auto share = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        body(i);
      }
    } catch (...) {
      next = count;
      throw;
    }
  };
  WorkerPool pool(threads);
  std::vector<std::future<void>> shares;
  for (int i = 0; i < std::max(1, threads); ++i) {
    shares.push_back(pool.submit(share));
  }
  for (auto& done : shares) {
    done.wait();
  }
  for (auto& done : shares) {
    done.get();
  }
}

}  // namespace epochcast::image
