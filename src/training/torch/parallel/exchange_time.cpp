#include "src/training/torch/parallel/exchange_time.hpp"

#include <utility>

namespace epochcast::libtorch {

void ExchangeTime::backward_begins() {
  const std::lock_guard lock(mutex_);
  commit();
}

void ExchangeTime::handed_over() {
  const std::lock_guard lock(mutex_);
  ++under_way_;
  held_up_s_ = 0;
  handed_over_at_s_ = clock_.now_s();
}

void ExchangeTime::arrived() {
  const std::lock_guard lock(mutex_);
  if (--under_way_ == 0) {
    held_up_s_ = clock_.now_s() - handed_over_at_s_;
  }
}

void ExchangeTime::waited(double seconds) {
  const std::lock_guard lock(mutex_);
  sum_s_ += seconds;
}

double ExchangeTime::take_s() {
  const std::lock_guard lock(mutex_);
  commit();
  return std::exchange(sum_s_, 0);
}

void ExchangeTime::commit() {
  sum_s_ += std::exchange(held_up_s_, 0);
}

void ExchangeSpans::backward_begins() {
  const std::lock_guard lock(mutex_);
  commit();
}

void ExchangeSpans::handed_over(c10::Event event) {
  const std::lock_guard lock(mutex_);
  handed_over_.emplace(std::move(event));
  arrived_.reset();
}

void ExchangeSpans::arrived(c10::Event event) {
  const std::lock_guard lock(mutex_);
  arrived_.emplace(std::move(event));
}

void ExchangeSpans::waited(DeviceSpan span) {
  const std::lock_guard lock(mutex_);
  spans_.push_back(std::move(span));
}

std::vector<DeviceSpan> ExchangeSpans::take() {
  const std::lock_guard lock(mutex_);
  commit();
  return std::exchange(spans_, {});
}

void ExchangeSpans::commit() {
  if (handed_over_ && arrived_) {
    spans_.push_back({std::move(*handed_over_), std::move(*arrived_)});
  }
  handed_over_.reset();
  arrived_.reset();
}

}  // namespace epochcast::libtorch
