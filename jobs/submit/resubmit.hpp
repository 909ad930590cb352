// Submits points again that ended without the wanted result.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
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
  /// Points for which `retry:` says so; also those that `submit` was called for and that have no
  /// job yet.
  bool retry = false;

  bool operator==(const ResubmitFilter&) const = default;
};

struct ResubmitReport {
  std::vector<PointStatus> points;  ///< The selected points, in their state before.
  std::vector<std::string> lines;   ///< One for each: "POINT was lost, resumes: node_failure".
  SubmitReport submitted;  ///< Empty without a scheduler, and in `run`, which submits them itself.
};

/// A point that ended without its result, and what `retry:` says.
struct NextAttempt {
  RetryRule rule = {};
  Bytes memory = {};         ///< Per node, of the next job; 0: as before.
  std::string why_not = {};  ///< Why there is none; empty: there is one.

  bool is_allowed() const { return why_not.empty(); }
};

/// What `retry:` of the folder says about its points.
class RetryPolicy {
 public:
  explicit RetryPolicy(const OutFolder& out);

  /// Whether any allocation of the folder has a rule.
  bool is_declared() const;
  /// Nothing if the point has not ended, or if no rule is about its end.
  std::optional<NextAttempt> next(const PointStatus& point) const;
  /// Adds what the next job asks for in place of its script, and says so in `line`. Reads the
  /// record of the ended one.
  void ask(const PointStatus& point, const NextAttempt& next, SubmitRequest& request,
           std::string& line) const;

 private:
  Origin origin_;
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

/// What `retry:` of the folder says, for all its points; a folder without it has nothing to do.
/// Waits minutes for another process that submits from it: many jobs may end at once.
[[nodiscard]] ResubmitReport retry(const std::string& out, bool dry_run = false);

}  // namespace epochcast::jobs
