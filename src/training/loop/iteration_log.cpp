#include "src/training/loop/iteration_log.hpp"

namespace epochcast::train {

void IterationLog::add(const record::Iteration& row) {
  pending_.push_back({row, !awaits_device_times_});
  take_device_times();
  forward(false);
}

void IterationLog::finish() {
  take_device_times();
  forward(true);
}

void IterationLog::take_device_times() {
  for (const auto& time : workload_.take_device_times()) {
    const auto index = time.iteration - forwarded_;
    if (index >= 0 && index < std::ssize(pending_)) {
      auto& pending = pending_[static_cast<std::size_t>(index)];
      pending.row.device_s = time.seconds;
      pending.row.gradient_sync_wait_s += time.gradient_sync_wait_s;
      pending.complete = true;
    }
  }
}

void IterationLog::forward(bool incomplete_too) {
  while (!pending_.empty() && (incomplete_too || pending_.front().complete)) {
    rows_.add(pending_.front().row);
    pending_.pop_front();
    ++forwarded_;
  }
}

}  // namespace epochcast::train
