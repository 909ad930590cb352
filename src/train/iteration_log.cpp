#include "src/train/iteration_log.hpp"

namespace epochcast::train {

void IterationLog::add(const record::Iteration& row) {
  pending_.push_back({row, !awaits_device_times_});
  take_device_times();
  pass_on(false);
}

void IterationLog::settle() {
  take_device_times();
  pass_on(true);
}

void IterationLog::take_device_times() {
  for (const auto& time : workload_.take_device_times()) {
    const auto place = time.iteration - passed_on_;
    if (place >= 0 && place < std::ssize(pending_)) {
      auto& pending = pending_[static_cast<std::size_t>(place)];
      pending.row.device_s = time.seconds;
      pending.row.gradient_sync_wait_s += time.gradient_sync_wait_s;
      pending.complete = true;
    }
  }
}

void IterationLog::pass_on(bool incomplete_too) {
  while (!pending_.empty() && (incomplete_too || pending_.front().complete)) {
    rows_.add(pending_.front().row);
    pending_.pop_front();
    ++passed_on_;
  }
}

}  // namespace epochcast::train
