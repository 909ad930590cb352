// How long ranks waited for each other's gradients.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/training/torch/base/device_span.hpp"

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

}  // namespace epochcast::libtorch
