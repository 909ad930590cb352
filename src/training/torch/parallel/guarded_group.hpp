// The group of ranks that gradients go through.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/parallel/guard.hpp"

namespace epochcast::libtorch {

/// How long backward passes waited for their last all-reduce: from the moment when the rank had
/// passed on all its gradients to the moment when the sums of all ranks had arrived. Earlier
/// all-reduces overlap with the computation.
class ExchangeTime {
 public:
  void backward_begins();
  void handed_over();
  void arrived();
  /// An exchange within a pass, which nothing hid.
  void waited(double seconds);
  /// Of all passes since the last call.
  double take_s();

 private:
  void commit();

  SteadyClock clock_;
  std::mutex mutex_;
  int under_way_ = 0;
  double handed_over_at_s_ = 0;
  double held_up_s_ = 0;  ///< In this pass, should nothing more be handed over in it.
  double sum_s_ = 0;
};

/// The same on a GPU, where the stream waits and not the host: between events in its streams. Not
/// run on a GPU so far.
class ExchangeSpans {
 public:
  void backward_begins();
  void handed_over(c10::Event event);
  void arrived(c10::Event event);
  void waited(DeviceSpan span);
  /// Of all passes since the last call, which are queued as a whole but perhaps not over.
  std::vector<DeviceSpan> take();

 private:
  void commit();

  std::mutex mutex_;
  std::optional<c10::Event> handed_over_;  ///< Last of this pass.
  std::optional<c10::Event> arrived_;
  std::vector<DeviceSpan> spans_;
};

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
