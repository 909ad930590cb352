// The failure of a run of several ranks on a rank that need not tell of it.
#pragma once

#include "src/core/error.hpp"

namespace epochcast::ranks {

/// Another rank reports it: this one ends without a word.
struct ReportedByPeer : RunError {
  using RunError::RunError;
};

}  // namespace epochcast::ranks
