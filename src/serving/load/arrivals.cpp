#include "src/serving/load/arrivals.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::load {
namespace {

double expected_in(const Stage& stage) {
  return (stage.from + stage.to) / 2 * stage.duration_s;
}

/// The time in the stage at which `count` arrivals are expected: the root of
/// from t + (to - from) / (2 T) t^2 = count, in the form that is exact where both rates are equal.
double arrival_s(const Stage& stage, double count) {
  const double slope = (stage.to - stage.from) / stage.duration_s;
  const double root = std::sqrt(std::max(0.0, stage.from * stage.from + 2 * slope * count));
  return count > 0 ? std::min(stage.duration_s, 2 * count / (stage.from + root)) : 0;
}

}  // namespace

Arrivals::Arrivals(const Stages& stages, bool poisson, std::int64_t seed)
    : stages_(stages), poisson_(poisson), random_(static_cast<std::uint64_t>(seed)), wanted_(0) {
  // Half a step: evenly spaced requests lie in the middle of their intervals.
  wanted_ = poisson_ ? random_.exponential() : 0.5;
}

std::optional<Arrivals::Arrival> Arrivals::next() {
  while (stage_ < stages_.list.size()) {
    const auto& stage = stages_.list[stage_];
    if (wanted_ < expected_in(stage)) {
      const Arrival arrival{stage_start_s_ + arrival_s(stage, wanted_), stage_};
      wanted_ += poisson_ ? random_.exponential() : 1;
      return arrival;
    }
    wanted_ -= expected_in(stage);
    stage_start_s_ += stage.duration_s;
    ++stage_;
  }
  return std::nullopt;
}

}  // namespace epochcast::load
