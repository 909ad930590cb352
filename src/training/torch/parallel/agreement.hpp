// Agreement between ranks on a request while they keep computing.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/training/torch/parallel/guard.hpp"

namespace epochcast::libtorch {

/// All ranks call agree() once per step. Every exchange delays the gradients a little, so with
/// short steps they exchange requests twenty times a second or every twentieth step, whichever is
/// more often. The result is read at the next exchange, so no rank waits for it.
class Agreement {
 public:
  Agreement(c10::intrusive_ptr<c10d::ProcessGroup> group, Guard guard)
      : group_(std::move(group)), guard_(std::move(guard)) {}

  /// At calls with an exchange, the largest request (from 0) of any rank at the previous exchange;
  /// at other calls 0. The same on all ranks.
  std::int64_t agree(std::int64_t wish);

 private:
  std::int64_t answer();
  void ask(std::int64_t wish);

  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  Guard guard_;
  SteadyClock clock_;
  std::int64_t stride_ = 1;      ///< Calls from one question to the next.
  std::int64_t calls_left_ = 1;  ///< Until the next question.
  std::vector<torch::Tensor> question_;
  Future answer_;
  double asked_at_s_ = 0;
};

}  // namespace epochcast::libtorch
