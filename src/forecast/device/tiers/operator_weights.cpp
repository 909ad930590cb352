// Rates of both devices, weighted by the operators that the time was measured to go into.
#include <algorithm>

#include "src/forecast/device/ratio.hpp"

namespace epochcast::device::tiers {
namespace operator_weights_tier {

/// The longer of arithmetic and memory: the roofline model (Williams et al. 2009).
double least_s(const Rates& rates, const CountedWork& work) {
  return std::max((work.flops - work.convolution_flops) / rates.product_flop_s +
                      work.convolution_flops / rates.convolution_flop_s,
                  work.bytes / rates.byte_s);
}

/// The same share of the device's limit is reached on both devices. What takes more than ten times
/// as long as its work at the limit is not limited by the device: its time stays as it is.
double operator_there_s(const OperatorTime& one, const Rates& from, const Rates& to) {
  constexpr double near = 0.1;
  const double here_s = least_s(from, one.work);
  return here_s < near * one.time_s ? one.time_s : one.time_s * least_s(to, one.work) / here_s;
}

struct BothRates {
  Rates from;
  Rates to;
  std::string basis;
};

/// Achieved rates where both devices have them, else those of the datasheets.
std::optional<BothRates> both_rates(const RatioQuestion& question) {
  if (question.from == nullptr || question.to == nullptr) {
    return std::nullopt;
  }
  const auto& precision = question.measured.precision;
  auto from = epochcast::device::achieved_rates(*question.from, precision);
  auto to = epochcast::device::achieved_rates(*question.to, precision);
  const bool achieved = from && to;
  if (!achieved) {
    from = specified_rates(*question.from, precision, *question.database);
    to = specified_rates(*question.to, precision, *question.database);
  }
  if (!from || !to) {
    return std::nullopt;
  }
  agree_on_convolutions(*from, *to);
  return BothRates{*from, *to, achieved ? "achieved rates" : "specified rates"};
}

std::variant<Ratio, NoRatio> ratio(const RatioQuestion& question) {
  if (question.operators.empty()) {
    return NoRatio{"the record has no counted operators (profile=N with profile_flops=true)"};
  }
  const auto rates = both_rates(question);
  if (!rates) {
    return NoRatio{"no rates of the same kind are known of both devices"};
  }
  const auto& [from, to, basis] = *rates;
  double here_s = question.other_s;
  double there_s = question.other_s;
  for (const auto& one : question.operators) {
    here_s += one.time_s;
    there_s += operator_there_s(one, from, to);
  }
  return Ratio{.value = there_s / here_s, .basis = basis + ", weighted by the profiled operators"};
}

}  // namespace operator_weights_tier

TierSpec operator_weights() {
  return {.rank = 6,
          .summary = "rates of both devices, weighted by the operators of a profile",
          .measured_error = "not known: tests/bench/operator_weights measures it",
          .for_comparison = true,
          .ratio = operator_weights_tier::ratio};
}

}  // namespace epochcast::device::tiers
