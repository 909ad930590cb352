#include "src/forecast/device/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/forecast/statistics/regression.hpp"

namespace epochcast::device {
std::vector<std::pair<std::string, TierSpec>> tiers_by_rank() {
  std::vector<std::pair<std::string, TierSpec>> ranked(tiers::all().begin(), tiers::all().end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second.rank < b.second.rank; });
  return ranked;
}

std::string_view precision_of_both(std::string_view measured, const Device& from) {
  return measured == "fp32" && !from.figures.tf32_tflops.known() ? "" : measured;
}

std::variant<TierRatio, NoRatio> best_ratio(const RatioQuestion& question) {
  std::string reasons;
  for (const auto& [name, spec] : tiers_by_rank()) {
    if (spec.for_comparison) {
      continue;
    }
    auto answer = spec.ratio(question);
    if (auto* ratio = std::get_if<Ratio>(&answer)) {
      return TierRatio{name, spec, std::move(*ratio)};
    }
    reasons += (reasons.empty() ? "" : "; ") + name + ": " + std::get<NoRatio>(answer).reason;
  }
  return NoRatio{reasons};
}

Ratio with_normal_error(double value, double mean_error, std::string basis) {
  const double deviation = mean_error * std::sqrt(std::numbers::pi / 2);
  return {value, forecast::normal_half_width(0.80) * deviation,
          forecast::normal_half_width(0.95) * deviation, std::move(basis)};
}

double batch_octaves(const RatioQuestion& question) {
  const auto& measured = question.measured;
  if (!measured.any_batch) {
    return 0;
  }
  const double ratio =
      measured.batch > 0 && question.batch_there > 0
          ? question.batch_there / measured.batch
          : question.to->figures.memory_gb.value / question.from->figures.memory_gb.value;
  return ratio > 0 && std::isfinite(ratio) ? std::abs(std::log2(ratio)) : 1;
}

Widths datasheet_widths(double years, const RatioQuestion& question) {
  const auto& factors = question.measured.single_operator ? operator_widths : program_widths;
  const double distance = std::sqrt(years + least_years);
  const double octaves = batch_octaves(question);
  return {std::hypot(factors.of_80 * distance, batch_widths.of_80 * octaves),
          std::hypot(factors.of_95 * distance, batch_widths.of_95 * octaves)};
}

}  // namespace epochcast::device
