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
  const auto from = specified_rates(*question.from, precision, *question.database);
  const auto to = specified_rates(*question.to, precision, *question.database);
  if (!from || !to) {
    return NoRatio{"peak or bandwidth is not known"};
  }
  // Of counted work only the share of convolutions has a say. Weights by counted FLOPs and bytes
  // made the forecast worse (docs/explanation/devices.md).
  const double value = geometric_ratio(*from, *to, measured.work);
  const auto widths =
      datasheet_widths(years_between(*question.from, *from, *question.to, *to), question);
  const auto* assumed = from->assumed ? question.from : to->assumed ? question.to : nullptr;
  return Ratio{
      value, widths.of_80, widths.of_95,
      fmt::format(
          "geometric mean of {} over {} FLOPS that can be issued under the power limit, and of "
          "bandwidth{}{}",
          from->arithmetic, to->arithmetic,
          batch_octaves(question) > 0 ? "; wider, since the batch there is or may be another" : "",
          assumed == nullptr ? "" : "; " + assumed->label + " states no peak of this precision")};
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
