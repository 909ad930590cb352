// Submits points again that ended without the wanted result.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "jobs/campaign/status.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/enum_text.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::jobs {

/// Why a point can be submitted again; the texts are the names of the options.
enum class ResubmitReason {
  none,      ///< It has not ended, or it is complete.
  failed,    ///< Its program failed.
  timeout,   ///< It stopped early with a partial result, or was killed at its time limit.
  missing,   ///< Its job ended without a result: node failure, cancelled, no record.
  tainted,   ///< It is complete, but its times must not be compared.
  disturbed  ///< It is complete, but others took time from it.
};
constexpr auto texts_of(Tag<ResubmitReason>) {
  return std::array{EnumText<ResubmitReason>{ResubmitReason::none, ""},
                    EnumText<ResubmitReason>{ResubmitReason::failed, "failed"},
                    EnumText<ResubmitReason>{ResubmitReason::timeout, "timeout"},
                    EnumText<ResubmitReason>{ResubmitReason::missing, "missing"},
                    EnumText<ResubmitReason>{ResubmitReason::tainted, "tainted"},
                    EnumText<ResubmitReason>{ResubmitReason::disturbed, "disturbed"}};
}

/// The points to submit again.
struct ResubmitFilter {
  bool failed = false;
  bool timeout = false;
  bool missing = false;
  bool tainted = false;
  bool disturbed = false;
  /// Only points that their time limit ended, and that have had fewer attempts; 0: all.
  std::int64_t attempts = 0;

  bool operator==(const ResubmitFilter&) const = default;
};

struct ResubmitReport {
  std::vector<PointStatus> points;  ///< The selected points, in their state before.
  SubmitReport submitted;  ///< Empty for a cluster without a scheduler: `run` runs the points.
};

ResubmitReason reason_of(const PointStatus& point);
bool is_selected(const PointStatus& point, const ResubmitFilter& filter);
/// Whether the next attempt resumes from a checkpoint or from the answers so far. A failed training
/// and a tainted or disturbed point start over; a failed inference keeps its answers.
bool is_resumable(const PointStatus& point);

/// Releases the claims of attempts that have ended and submits their points again, with the same
/// script and seed. Throws RunError if the controller does not answer, because then it is not known
/// which attempts have ended.
[[nodiscard]] ResubmitReport resubmit(const SubmitRequest& request, const ResubmitFilter& filter);

}  // namespace epochcast::jobs
