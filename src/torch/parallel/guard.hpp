// Waiting for other ranks without hanging: what c10d is waited for here ends with an error as soon
// as a rank is known to be gone, whatever c10d itself is still waiting for.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/torch/device_span.hpp"
#include "src/torch/parallel/c10d.hpp"

namespace epochcast {

using Future = c10::intrusive_ptr<c10::ivalue::Future>;

class Guard {
 public:
  Guard();

  /// A future that ends as `pending` does, or with RunError(loss) once break_off() is called.
  /// Throws RunError(loss) if it was called before.
  Future watch(const Future& pending);

  /// Throws what the work throws, or RunError(loss).
  void wait(const c10::intrusive_ptr<c10d::Work>& work) {
    watch(work->getFuture())->waitAndThrow();
  }

  void break_off(const std::string& loss);

 private:
  struct State;
  std::shared_ptr<State> state_;  ///< Shared with the callbacks of futures that never end.
};

/// How long backward passes were held up by their last all-reduce: from the moment all gradients of
/// the rank were handed over to the moment the sums of all ranks were there. What was exchanged
/// before hid behind the computation.
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
  using Clock = std::chrono::steady_clock;
  void commit();

  std::mutex mutex_;
  int under_way_ = 0;
  Clock::time_point handed_over_at_;
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

/// A group whose all-reduces are timed, and guarded on the host. On a GPU nobody waits on the host;
/// there a group that lost a rank is broken off by abort() of its backend.
class GuardedGroup : public c10d::ProcessGroup {
 public:
  GuardedGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, Guard guard);

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options = {}) override;

  /// Waits for `work` on `tensor`: guarded on the host; on a GPU the stream waits, not the host.
  void finish(const c10::intrusive_ptr<c10d::Work>& work, const torch::Tensor& tensor);

  /// `values` become their sum over all ranks, which a pass needs to go on.
  void sum_up(torch::Tensor& values);

  ExchangeTime& exchange_time() { return *exchange_time_; }
  ExchangeSpans& exchange_spans() { return *exchange_spans_; }

 private:
  Guard guard_;
  std::shared_ptr<ExchangeTime> exchange_time_ = std::make_shared<ExchangeTime>();
  std::shared_ptr<ExchangeSpans> exchange_spans_ = std::make_shared<ExchangeSpans>();
};

}  // namespace epochcast
