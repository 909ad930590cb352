// What a law misses at a setting, judged by what it misses at the settings nearby.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "src/forecast/scaling/step_setting.hpp"

namespace epochcast::forecast {

/// The logarithm of measured over forecast time, at a setting.
struct MissedTime {
  StepSetting setting;
  double log_ratio = 0;
};

/// How far settings are apart: a doubling in each dimension counts as so many doublings.
class Nearness {
 public:
  Nearness() { doublings_.fill(1); }

  /// The mean of `missed` at `at`, in logarithms, weighted by the fourth power of the distance
  /// (inverse distance weighting, Shepard 1968). A further weight of 1 counts no error, so that a
  /// setting without neighbours is left as it is: an error at a distance of one doubling counts by
  /// half.
  double expected(const std::vector<MissedTime>& missed, const StepSetting& at) const;

  /// The weight of a setting at another one; both as logarithms.
  double weight(const Doublings& a, const Doublings& b) const;

  /// The nearness with the least value of `error`. In each dimension in which `settings` differ a
  /// doubling counts as 1/2, 1, 2 or 4: the effects of batch sizes differ little from one to the
  /// next, those of one and two workers may differ much. One dimension after the other is tried.
  static Nearness best_for(const std::vector<StepSetting>& settings,
                           const std::function<double(const Nearness&)>& error);

 private:
  std::array<double, dimensions.size()> doublings_ = {};
};

}  // namespace epochcast::forecast
