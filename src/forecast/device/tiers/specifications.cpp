// The datasheets of both devices only.
#include <cmath>

#include "src/forecast/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace specifications_tier {

std::variant<Ratio, NoRatio> ratio(const RatioQuestion& question) {
  if (question.from == nullptr || question.to == nullptr) {
    return NoRatio{"a device is not in the device database"};
  }
  const auto& measured = question.measured;
  const auto from = specified_rates(*question.from, measured.precision, *question.database);
  const auto to = specified_rates(*question.to, measured.precision, *question.database);
  if (!from || !to) {
    return NoRatio{"peak or bandwidth is not known"};
  }
  // Counted work has no say. A peak is not sustained: the more arithmetic a device has for its
  // memory, the less of it is fed. That share falls about with the square root of the quotient of
  // both, and then the rate of arithmetic is the geometric mean too. Weights by counted FLOPs and
  // bytes made the forecast worse (docs/explanation/devices.md).
  const double value = ratio_of(*from, *to, {});
  const auto widths = datasheet_widths(std::log(value), measured.single_operator);
  return Ratio{value, widths.of_80, widths.of_95,
               "geometric mean of the FLOPS that can be issued under the power limit, and of "
               "bandwidth"};
}

}  // namespace specifications_tier

TierSpec specifications() {
  return {.rank = 3,
          .summary = "datasheets: FLOPS that can be issued under the power limit, and bandwidth",
          .measured_error =
              "27 % on DeepBench's matrix products, 21 % on its convolutions, 23 % on Gavel's "
              "trainings",
          .ratio = specifications_tier::ratio};
}

}  // namespace epochcast::device::tiers
