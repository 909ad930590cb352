#include "src/forecast/run/gaps.hpp"

#include <algorithm>

#include "src/base/core/statistics.hpp"

namespace epochcast::forecast {
namespace {

constexpr std::size_t most_gaps = 4096;

double spans_of(const record::Epoch& epoch) {
  return epoch.evaluate_s + epoch.checkpoint_s;
}

}  // namespace

void Gaps::add(const record::Epoch& epoch, double once_s) {
  if (last_) {
    closed_s_.push_back(between_epochs_s(last_->epoch, epoch, last_->once_s));
  }
  if (closed_s_.size() > most_gaps) {
    closed_s_.erase(closed_s_.begin(), closed_s_.begin() + most_gaps / 2);
  }
  last_ = {epoch, once_s};
  seen_until_s_ = 0;
}

std::vector<double> Gaps::seconds() const {
  auto all_s = closed_s_;
  if (!last_) {
    return all_s;
  }
  const double seen_s = seen_until_s_ - last_->epoch.start_s - last_->epoch.wall_s - last_->once_s;
  if (const auto usual_s = mean(closed_s_)) {
    if (seen_s > *usual_s) {
      all_s.push_back(seen_s);
    }
  } else if (const double least_s = std::max(spans_of(last_->epoch), seen_s); least_s > 0) {
    all_s.push_back(least_s);
  }
  return all_s;
}

double between_epochs_s(const record::Epoch& epoch, const record::Epoch& next, double once_s) {
  const bool follows = next.epoch == epoch.epoch + 1 && next.start_s > epoch.start_s;
  return follows ? std::max(0.0, next.start_s - epoch.start_s - epoch.wall_s - once_s)
                 : spans_of(epoch);
}

void KernelChoices::add(const record::Span& span) {
  if (span.name.view() == "choose_kernels") {
    seconds_[span.epoch] += span.duration_s;
  }
}

double KernelChoices::seconds(std::int64_t epoch) const {
  const auto found = seconds_.find(epoch);
  return found == seconds_.end() ? 0 : found->second;
}

}  // namespace epochcast::forecast
