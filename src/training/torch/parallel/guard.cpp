#include "src/training/torch/parallel/guard.hpp"

#include <exception>
#include <mutex>
#include <optional>
#include <set>

#include "src/base/core/error.hpp"

namespace epochcast::libtorch {

struct Guard::State {
  std::mutex mutex;
  std::set<Future> pending;
  std::optional<std::string> loss;
};

Guard::Guard() : state_(std::make_shared<State>()) {}

Future Guard::watch(const Future& pending) {
  auto watched =
      c10::make_intrusive<c10::ivalue::Future>(pending->elementType(), pending->devices());
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->loss) {
      throw RunError(*state_->loss);
    }
    state_->pending.insert(watched);
  }
  pending->addCallback([state = state_, watched](c10::ivalue::Future& ended) {
    {
      const std::lock_guard lock(state->mutex);
      if (state->pending.erase(watched) == 0) {
        return;  // broken off before
      }
    }
    if (ended.hasError()) {
      watched->setError(ended.exception_ptr());
    } else {
      watched->markCompleted(ended.value());
    }
  });
  return watched;
}

void Guard::break_off(const std::string& loss) {
  std::set<Future> waiting;
  {
    const std::lock_guard lock(state_->mutex);
    state_->loss = loss;
    waiting.swap(state_->pending);
  }
  for (const auto& watched : waiting) {
    watched->setError(std::make_exception_ptr(RunError(loss)));
  }
}

}  // namespace epochcast::libtorch
