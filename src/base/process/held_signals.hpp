// Signals that a program receives in its loop, not in handlers.
#pragma once

#include <signal.h>

#include <optional>
#include <vector>

#include "src/base/core/descriptor.hpp"

namespace epochcast::process {

/// A signal that was received.
struct HeldSignal {
  int number = 0;
  bool from_kernel = false;  ///< A terminal sends it to a whole process group.
};

/// Blocks `signals` and SIGPIPE in this thread, and in those that it starts, until it is destroyed.
/// Create it first, so that a signal that arrives during the preparation is not lost.
class HeldSignals {
 public:
  explicit HeldSignals(const std::vector<int>& signals);
  ~HeldSignals();
  HeldSignals(HeldSignals&&) = delete;

  /// The mask before, for a program that this one starts.
  const sigset_t& before() const { return before_; }
  /// Readable when a signal waits.
  int descriptor() const { return descriptor_.number(); }
  /// The next signal that waits; std::nullopt: none does.
  std::optional<HeldSignal> take() const;

 private:
  sigset_t before_{};
  Descriptor descriptor_;
};

}  // namespace epochcast::process
