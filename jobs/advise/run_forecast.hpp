// How long the run takes on an allocation: from its records, else from the ledger, else from past
// jobs of the accounting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/generate.hpp"
#include "jobs/ledger/pilot_forecast.hpp"
#include "jobs/plan/history_limits.hpp"
#include "src/forecast/run/forecast.hpp"

namespace epochcast::jobs {

/// The run time of one point, from the start of its job.
struct RunForecast {
  std::string source;                ///< "record", "ledger", "history"; empty: not known.
  std::string detail;                ///< Which record, ledger or jobs; or why nothing is known.
  forecast::Prediction time_s;       ///< The upper end of 95 % is adjusted by the ledger.
  double before_s = 0;               ///< Of this, before the program starts.
  std::int64_t epochs = 0;           ///< 0: not known.
  std::int64_t recorded_epochs = 0;  ///< Epochs in the record.
  std::optional<forecast::Prediction> memory_bytes = {};  ///< The most of a node.
  std::optional<double> j_per_epoch = {};                 ///< Measured energy of an epoch.
  std::string cpus = {};           ///< What that record says of its CPUs, in one line.
  std::string energy_detail = {};  ///< Where it is from, or why it is not known.

  bool is_known() const { return !source.empty(); }
};

/// Where run times are looked for.
struct RunSources {
  std::vector<std::string> folders;  ///< Output folders; their pilots too.
  std::optional<PastJobs> past;      ///< Jobs of the accounting and the pattern of their names.
  KnownRuns known = {};              ///< Whose shape a forecast from a record may use.
};

/// The one point of each allocation of `matrix`; repeats and seeds count as one. Throws Error if an
/// allocation has points that differ in anything else: advice is for one run.
std::vector<Point> points_to_advise(const Matrix& matrix);

/// The forecast for `point`: of the record with the most epochs of the same experiment, cluster,
/// allocation and parameters (but for epochs, seed and repeat) in a folder, preferably one that was
/// not disturbed. Else the newest forecast of the user's ledger for the same experiment, cluster,
/// allocation and epochs. Else past jobs, as `plan --history` takes them.
RunForecast run_forecast(const Matrix& matrix, const Point& point, const RunSources& sources);

}  // namespace epochcast::jobs
