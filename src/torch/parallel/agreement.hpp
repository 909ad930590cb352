// What several ranks wish, agreed upon while they compute on.
#pragma once

#include <cstdint>
#include <vector>

#include "src/core/clock.hpp"
#include "src/torch/parallel/guard.hpp"

namespace epochcast::libtorch {

/// All ranks call agree() equally often, once a step. Every question delays the gradients a little,
/// so where steps are short they ask each other twenty times a second or every twentieth step,
/// whichever is more often. The answer is taken when they ask next, so nobody waits for it.
class Agreement {
 public:
  Agreement(c10::intrusive_ptr<c10d::ProcessGroup> group, Guard guard)
      : group_(std::move(group)), guard_(std::move(guard)) {}

  /// The largest wish of any rank (from 0 on) as of the last question, at the calls at which the
  /// next is asked; else 0. The same on all ranks.
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
