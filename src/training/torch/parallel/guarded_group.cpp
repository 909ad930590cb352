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

}  // namespace epochcast::libtorch
