// Where an epoch begins, by what was read before. Nothing here changes what is remembered.
#pragma once

#include <cstdint>
#include <optional>

#include "src/measure/progress/reading/reading.hpp"
#include "src/measure/progress/rows/run_so_far.hpp"

namespace epochcast::progress {

/// The first epoch of the run begins where its heading stands, or its stated times lead back to, or
/// with the program. If its steps will show it, `first.print` is the first of them, and `start_s`
/// holds until then.
struct FirstBegin {
  double start_s = 0;
  FirstEpoch first;
};
FirstBegin begin_of_first(const RunSoFar& run, const Reading& reading, double at_s);

struct Begin {
  double start_s = 0;
  double doubt_s = 0;  ///< OpenEpoch::doubt_s
  bool cut = false;    ///< Its first steps are not in the output.
};
/// An epoch begins where its heading stands, else where the one before ended; the first one, where
/// `first_s` says; the first of a new attempt, as long before its first print as the epochs before
/// needed to come there.
Begin begin_of(const RunSoFar& run, std::int64_t epoch, const Reading& reading, double at_s,
               std::optional<double> first_s);

/// Where the first epoch began, of which the line at `at_s` states the duration, and whose first
/// line came at `first_line_s`. It cannot have begun before the output, if that has a line before
/// the first of the epoch.
double stated_begin_s(const RowOptions& options, const Reading& reading, double at_s,
                      double first_line_s);

/// The second print of the first epoch, with `done` steps: the rate of the steps between leads back
/// to its begin. std::nullopt: it shows no rate.
std::optional<double> begin_by_rate_s(const RunSoFar& run, double done, double at_s);

/// The same where the second print is one of an epoch that is not the next.
std::optional<double> begin_by_parts_s(const RunSoFar& run, std::int64_t epoch, const Reading& next,
                                       double at_s);

}  // namespace epochcast::progress
