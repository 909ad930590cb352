// What the live view shows of a folder at one moment, as a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/status.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

/// Shares of 0 to 1 at the last sample of each rank; nothing where the record does not have it.
struct Use {
  std::optional<double> cpu;  ///< Of the CPUs that the ranks may use, by their processes.
  std::optional<double> gpu;  ///< The mean over the GPUs of the ranks, by all processes.
};

/// Ranks that share their CPUs (no binding) are counted with the CPUs of each.
Use use_of(const record::Record& record);

struct LivePoint {
  PointStatus status;
  Use use = {};
};

struct Snapshot {
  std::string folder;
  double at_s = 0;  ///< Seconds since 1970; 0: nothing was read yet.
  std::vector<LivePoint> points;
  std::string note;  ///< Why states may be old, or what was reported last; may be empty.
};

/// The points of `report` with what their records say besides.
Snapshot snapshot_of(const StatusReport& report, const std::string& folder, double at_s,
                     const RecordTails& tails);

/// The part of the points' work that is done, 0 to 1: an ended point counts as a whole one, a
/// running one by its steps.
double share_done(const Snapshot& snapshot);

/// "8 points: 5 complete, 2 running, 1 failed".
std::string counts_text(const std::vector<LivePoint>& points);

/// When the running jobs end, in seconds since 1970, with the prediction interval of 95 % that
/// covers the last of them.
struct Finish {
  double at_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// std::nullopt if no job runs, or one of them has no forecast yet.
std::optional<Finish> finish_of(const Snapshot& snapshot);

}  // namespace epochcast::jobs
