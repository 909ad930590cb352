// When the requests of an open loop start, whatever the service does with those before them.
#pragma once

#include <optional>

#include "src/base/core/random.hpp"
#include "src/serving/load/stages.hpp"

namespace epochcast::load {

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
