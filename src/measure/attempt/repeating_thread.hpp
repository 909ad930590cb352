// A thread that does the same again and again, such as to write a record while something runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace epochcast::attempt {

class RepeatingThread {
 public:
  RepeatingThread() = default;
  ~RepeatingThread();
  RepeatingThread(RepeatingThread&&) = delete;

  /// Calls `action` every `interval` until stop(), or until it throws. The thread receives no
  /// signals.
  void start(std::chrono::duration<double> interval, std::function<void()> action);
  /// Ends the thread, if it runs.
  void stop();
  /// After stop(): throws what `action` has thrown.
  void rethrow() const;

 private:
  void run(std::chrono::duration<double> interval);

  std::function<void()> action_;
  std::mutex mutex_;  ///< Of `ends_`.
  std::condition_variable wake_;
  bool ends_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace epochcast::attempt
