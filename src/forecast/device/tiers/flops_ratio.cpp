// The ratio of peak FLOPS, which is the usual first estimate.
#include "src/forecast/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace flops_ratio_tier {

std::variant<Ratio, NoRatio> ratio(const RatioQuestion& question) {
  if (question.from == nullptr || question.to == nullptr) {
    return NoRatio{"a device is not in the device database"};
  }
  const auto precision = precision_of_both(question.measured.precision, *question.from);
  const auto from = peak_for(*question.from, precision);
  const auto to = peak_for(*question.to, precision);
  if (!from.tflops.known() || !to.tflops.known()) {
    return NoRatio{"a peak is not known"};
  }
  return Ratio{.value = from.tflops.value / to.tflops.value,
               .basis = from.precision + " peak over " + to.precision + " peak"};
}

}  // namespace flops_ratio_tier

TierSpec flops_ratio() {
  return {.rank = 5,
          .summary = "ratio of peak FLOPS",
          .measured_error = "46 % on DeepBench's matrix products, 31 % on its convolutions",
          .for_comparison = true,
          .ratio = flops_ratio_tier::ratio};
}

}  // namespace epochcast::device::tiers
