// Reads the states of a folder again and again in a thread of its own, and does what the user asks
// for there too: the scheduler may take its time to answer, and the keys must not wait for it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "jobs/live/snapshot.hpp"

namespace epochcast::jobs {

class Watcher {
 public:
  Watcher(std::string out, std::vector<std::string> filters);
  /// Waits for what is going on.
  ~Watcher();
  Watcher(Watcher&&) = delete;

  /// The newest one; never nullptr.
  std::shared_ptr<const Snapshot> snapshot() const;
  /// What was reported since the last call: the results of actions, one line each.
  std::vector<std::string> take_messages();

  void refresh();
  /// Cancels the job of the point, or submits the point again.
  void cancel(const PointStatus& point);
  void resubmit(const PointStatus& point);

 private:
  void run(const std::stop_token& stop);
  void read_all();
  void read_running();
  void publish();
  void tell(const std::string& message);
  void tell_result(const std::function<std::string()>& action);
  void put(std::function<void()> action);

  std::string out_;
  std::vector<std::string> filters_;
  RecordTails tails_;
  StatusReport report_;
  std::size_t ended_ = 0;  ///< Points that had ended when ledger rows were closed last.
  std::string note_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> actions_;
  std::vector<std::string> messages_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::jthread thread_;  ///< The last member: it ends before the others go.
};

}  // namespace epochcast::jobs
