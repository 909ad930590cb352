// The datasheets of both devices only.
#include <fmt/format.h>

#include "src/forecast/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace specifications_tier {

std::variant<Ratio, NoRatio> ratio(const RatioQuestion& question) {
  if (question.from == nullptr || question.to == nullptr) {
    return NoRatio{"a device is not in the device database"};
  }
  const auto& measured = question.measured;
  const auto precision = precision_of_both(measured.precision, *question.from);
  const auto from = sustained_rates(*question.from, precision, *question.database);
  const auto to = sustained_rates(*question.to, precision, *question.database);
  if (!from || !to) {
    return NoRatio{"peak or bandwidth is not known"};
  }
  // Of counted work only the share of convolutions has a say. Weights by counted FLOPs and bytes
  // made the forecast worse (docs/explanation/devices.md).
  const double value = ratio_of(*from, *to, usual_work(precision, measured.work));
  const auto widths = datasheet_widths(years_between(*question.from, *from, *question.to, *to),
                                       measured.single_operator);
  const auto* assumed = from->assumed ? question.from : to->assumed ? question.to : nullptr;
  return Ratio{
      value, widths.of_80, widths.of_95,
      fmt::format(
          "{} over {} FLOPS that can be issued under the power limit, and "
          "bandwidth, {:g} FLOPs a byte{}",
          from->arithmetic, to->arithmetic, usual_flops_per_byte,
          assumed == nullptr ? "" : "; " + assumed->label + " states no peak of this precision")};
}

}  // namespace specifications_tier

TierSpec specifications() {
  return {.rank = 3,
          .summary = "datasheets: FLOPS that can be issued under the power limit, and bandwidth",
          .measured_error =
              "25 % on DeepBench's matrix products, 22 % on its convolutions, 22 % on Gavel's "
              "trainings",
          .ratio = specifications_tier::ratio};
}

}  // namespace epochcast::device::tiers
