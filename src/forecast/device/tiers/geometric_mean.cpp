// The geometric mean of the ratios of peak FLOPS and of bandwidth: the simple rule that is hardest
// to beat.
#include <cmath>

#include "src/forecast/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace geometric_mean_tier {

std::variant<Ratio, NoRatio> ratio(const RatioQuestion& question) {
  const auto flops = all().at("flops_ratio").ratio(question);
  const auto* peak = std::get_if<Ratio>(&flops);
  if (peak == nullptr) {
    return flops;
  }
  const auto& from = question.from->figures.bandwidth_gb_s;
  const auto& to = question.to->figures.bandwidth_gb_s;
  if (!from.known() || !to.known()) {
    return NoRatio{"a bandwidth is not known"};
  }
  return Ratio{.value = std::sqrt(peak->value * from.value / to.value),
               .basis = peak->basis + ", and bandwidth"};
}

}  // namespace geometric_mean_tier

TierSpec geometric_mean() {
  return {.rank = 4,
          .summary = "geometric mean of peak FLOPS and bandwidth",
          .measured_error =
              "32 % on DeepBench's matrix products, 26 % on its convolutions, 33 % on Gavel's "
              "trainings",
          .for_comparison = true,
          .ratio = geometric_mean_tier::ratio};
}

}  // namespace epochcast::device::tiers
