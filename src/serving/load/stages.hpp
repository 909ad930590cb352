// The stages of a load: how many users, or how many requests a second, at each moment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/random.hpp"

namespace epochcast::load {

struct Stage {
  double from = 0;  ///< Users, or requests a second, at its start ...
  double to = 0;    ///< ... and at its end.
  double duration_s = 0;
};

struct Stages {
  std::vector<Stage> list;
  bool are_rates = false;

  double total_s() const;
  double start_s(std::size_t stage) const;
  /// The stage at a time since the start; the last one from its start on.
  std::size_t at(double time_s) const;
  double most() const;  ///< The highest load of all stages.
};

/// "10/s:30s,10-20/s:1m" or "1-10:30s,10:7m"; "study" and "study_local" are the published stages of
/// the study's load test, "study/60" the same in a 60th of the time. Throws Error; also if the
/// stages are rates and `arrivals` is "closed", or the reverse.
Stages parse_stages(std::string_view text, std::string_view arrivals);

/// The earliest time from `from_s` on at which user number `user`, from 0, is active; std::nullopt:
/// at no time any more. In a ramp a user starts when the load reaches his number, as in k6.
std::optional<double> next_active_s(const Stages& stages, std::size_t user, double from_s);

/// When the requests of an open loop start, whatever the service does with those before them.
class Arrivals {
 public:
  /// `stages` are rates. Without `poisson`, requests are evenly spaced.
  Arrivals(const Stages& stages, bool poisson, std::int64_t seed);

  struct Arrival {
    double at_s = 0;  ///< Since the start of the load.
    std::size_t stage = 0;
  };
  /// The next one; std::nullopt after the last.
  std::optional<Arrival> next();

 private:
  const Stages& stages_;
  bool poisson_;
  Random random_;
  std::size_t stage_ = 0;
  double stage_start_s_ = 0;
  double wanted_ = 0;  ///< Expected arrivals in this stage up to the next one.
};

}  // namespace epochcast::load
