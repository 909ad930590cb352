// The datasheets of both devices only.
#include "src/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace {

/// The mean error of geometric means of FLOPS and bandwidth over device pairs is 18 to 30 %
/// (facts/prediction.md, section 2, back-tests on data of other authors). This is the middle.
constexpr double mean_error = 0.24;

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
  return with_normal_error(ratio_of(*from, *to, measured.work), mean_error,
                           measured.work.whole()
                               ? "specified rates, weighted by counted FLOPs and bytes"
                               : "geometric mean of specified FLOPS and bandwidth");
}

}  // namespace

TierSpec specifications() {
  return {.rank = 3,
          .summary = "datasheets: FLOPS under the power limit, and bandwidth",
          .measured_error =
              "28 % on DeepBench's matrix products, 22 % on its convolutions, 33 % on Gavel's "
              "trainings",
          .ratio = ratio};
}

}  // namespace epochcast::device::tiers
