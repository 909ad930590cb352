// How an attempt ended, and why. Records, the ledger and listings contain the texts.
#pragma once

#include <array>

#include "src/base/core/enum_text.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::run {

/// How an attempt ended.
enum class Outcome {
  running,   ///< It has not ended, or its end is not recorded.
  complete,  ///< It finished everything that it had to do.
  stopped,   ///< It ended early and kept its partial result; a later attempt may resume it.
  failed,    ///< It ended with an error of its own.
  lost,      ///< Its job no longer exists and recorded no end.
  unknown    ///< The text is from a newer version, or damaged.
};
constexpr auto texts_of(Tag<Outcome>) {
  return std::array{EnumText<Outcome>{Outcome::running, "running"},
                    EnumText<Outcome>{Outcome::complete, "complete"},
                    EnumText<Outcome>{Outcome::stopped, "stopped"},
                    EnumText<Outcome>{Outcome::failed, "failed"},
                    EnumText<Outcome>{Outcome::lost, "lost"},
                    EnumText<Outcome>{Outcome::unknown, "unknown"}};
}

/// Why an attempt did not complete, as far as programs act on it.
enum class FailureCause {
  none,           ///< It completed, or still runs.
  other,          ///< See the text of the outcome.
  out_of_memory,  ///< An allocation failed, or the system or Slurm ended it for its memory.
  time_limit,     ///< It reached the time limit of its job.
  before_limit,   ///< It stopped before that limit: its next epoch, or its rest, did not fit.
  cancelled,      ///< Somebody cancelled the job.
  node_failure,   ///< A node of the job failed.
  preempted       ///< A job of a higher priority took its place.
};
constexpr auto texts_of(Tag<FailureCause>) {
  return std::array{EnumText<FailureCause>{FailureCause::none, ""},
                    EnumText<FailureCause>{FailureCause::other, "other"},
                    EnumText<FailureCause>{FailureCause::out_of_memory, "out_of_memory"},
                    EnumText<FailureCause>{FailureCause::time_limit, "time_limit"},
                    EnumText<FailureCause>{FailureCause::before_limit, "before_limit"},
                    EnumText<FailureCause>{FailureCause::cancelled, "cancelled"},
                    EnumText<FailureCause>{FailureCause::node_failure, "node_failure"},
                    EnumText<FailureCause>{FailureCause::preempted, "preempted"}};
}

}  // namespace epochcast::run
