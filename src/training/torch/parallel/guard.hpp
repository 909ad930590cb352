// Waiting for other ranks without hanging: what c10d is waited for here ends with an error as soon
// as a rank is known to be gone, whatever c10d itself is still waiting for.
#pragma once

#include <memory>
#include <string>

#include "src/training/torch/parallel/c10d.hpp"

namespace epochcast::libtorch {

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

}  // namespace epochcast::libtorch
