// Rates that were measured on both devices: by `measure-device`, or from the device database.
#include "src/forecast/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace achieved_rates_tier {

/// About 15 % over pairs of devices (`tests/bench/score.py BUILD devices`;
/// docs/explanation/devices.md).
constexpr double mean_error = 0.15;

std::variant<Ratio, NoRatio> ratio(const RatioQuestion& question) {
  if (question.from == nullptr || question.to == nullptr) {
    return NoRatio{"a device is not in the device database"};
  }
  const auto& measured = question.measured;
  auto from = epochcast::device::achieved_rates(*question.from, measured.precision);
  auto to = epochcast::device::achieved_rates(*question.to, measured.precision);
  if (!from || !to) {
    return NoRatio{"no rates measured on " + (from ? question.to : question.from)->name +
                   " (measure-device writes them)"};
  }
  agree_on_convolutions(*from, *to);
  return measured.work.whole()
             ? with_normal_error(ratio_of(*from, *to, measured.work), mean_error,
                                 "achieved rates, weighted by counted FLOPs and bytes")
             : with_normal_error(geometric_ratio(*from, *to, measured.work), mean_error,
                                 "geometric mean of achieved FLOPS and bandwidth");
}

}  // namespace achieved_rates_tier

TierSpec achieved_rates() {
  return {.rank = 2,
          .summary = "rates measured on both devices",
          .measured_error = "14 % on Gavel's trainings on P100 and V100",
          .ratio = achieved_rates_tier::ratio};
}

}  // namespace epochcast::device::tiers
