#include "src/training/torch/parallel/guarded_group.hpp"

#include <utility>

#include "src/base/core/clock.hpp"

namespace epochcast::libtorch {

GuardedGroup::GuardedGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                           Guard guard)
    : ProcessGroup(store, rank, size), guard_(std::move(guard)) {}

c10::intrusive_ptr<c10d::Work> GuardedGroup::allreduce(std::vector<at::Tensor>& tensors,
                                                       const c10d::AllreduceOptions& options) {
  auto work = ProcessGroup::allreduce(tensors, options);
  if (const auto device = tensors.front().device(); !device.is_cpu()) {
    exchange_spans_->handed_over(event_on(device));
    // The callback runs at once, in a stream that waits for the sums, not in the one that computes
    // (ATen/core/ivalue_inl.h, Future::invokeCallback).
    work->getFuture()->addCallback([spans = exchange_spans_, device](c10::ivalue::Future&) {
      spans->arrived(event_on(device));
    });
    return work;
  }
  exchange_time_->handed_over();
  const auto future = work->getFuture();
  future->addCallback([time = exchange_time_](c10::ivalue::Future&) { time->arrived(); });
  return c10d::Work::create_from_future(guard_.watch(future));
}

void GuardedGroup::finish(const c10::intrusive_ptr<c10d::Work>& work, const torch::Tensor& tensor) {
  if (tensor.is_cpu()) {
    guard_.wait(work);
  } else {
    work->wait();
  }
}

void GuardedGroup::all_reduce(torch::Tensor& values) {
  std::vector<torch::Tensor> message{values};
  if (!values.is_cpu()) {
    auto start = event_on(values.device());
    finish(ProcessGroup::allreduce(message), values);
    exchange_spans_->waited({std::move(start), event_on(values.device())});
    return;
  }
  const SteadyClock clock;
  const double start_s = clock.now_s();
  finish(ProcessGroup::allreduce(message), values);
  exchange_time_->waited(clock.now_s() - start_s);
}

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
