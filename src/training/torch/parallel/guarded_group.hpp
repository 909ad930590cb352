// The group of ranks that gradients go through.
#pragma once

#include <memory>
#include <vector>

#include "src/training/torch/parallel/exchange_time.hpp"
#include "src/training/torch/parallel/guard.hpp"

namespace epochcast::libtorch {

/// A process group whose all-reduces are timed, and guarded on the host. With GPUs no host thread
/// waits for them; if a rank is lost, abort() of the backend ends the group.
class GuardedGroup : public c10d::ProcessGroup {
 public:
  GuardedGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, Guard guard);

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options = {}) override;

  /// Waits for `work` on `tensor`: guarded on the host; on a GPU the stream waits, not the host.
  void finish(const c10::intrusive_ptr<c10d::Work>& work, const torch::Tensor& tensor);

  /// Replaces `values` by their sum over all ranks; waits for it.
  void all_reduce(torch::Tensor& values);

  ExchangeTime& exchange_time() { return *exchange_time_; }
  ExchangeSpans& exchange_spans() { return *exchange_spans_; }

 private:
  Guard guard_;
  std::shared_ptr<ExchangeTime> exchange_time_ = std::make_shared<ExchangeTime>();
  std::shared_ptr<ExchangeSpans> exchange_spans_ = std::make_shared<ExchangeSpans>();
};

}  // namespace epochcast::libtorch
