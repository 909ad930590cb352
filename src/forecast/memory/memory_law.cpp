#include "src/forecast/memory/memory_law.hpp"

#include <algorithm>
#include <string>

namespace epochcast::memory {
namespace {

constexpr double gigabyte = 1e9;

/// The surface has its own words for what takes the place of parameters and activations.
forecast::Refusal in_own_words(forecast::Refusal refusal) {
  for (const auto& [word, own] :
       {std::pair<std::string, std::string>{"number of layers", "number of parameters"},
        {"number of FLOPs per sample", "activations of a sample"}}) {
    for (auto at = refusal.reason.find(word); at != std::string::npos;
         at = refusal.reason.find(word, at)) {
      refusal.reason.replace(at, word.size(), own);
    }
  }
  return refusal;
}

forecast::StepSetting as_step(const MemorySetting& setting) {
  return {.batch = setting.batch,
          .input_length = setting.length,
          .flops = setting.activations,
          .layers = setting.parameters};
}

}  // namespace

std::variant<MemoryLaw, forecast::Refusal> MemoryLaw::fit(std::vector<SettingPeak> peaks) {
  if (peaks.empty()) {
    return forecast::Refusal{"no peak of memory was measured"};
  }
  std::vector<forecast::SettingTime> as_times;
  for (const auto& peak : peaks) {
    as_times.push_back({as_step(peak.setting), peak.bytes / gigabyte});
  }
  auto fitted = forecast::StepSurface::fit(std::move(as_times), "GB");
  if (auto* refusal = std::get_if<forecast::Refusal>(&fitted)) {
    return std::move(*refusal);
  }
  return MemoryLaw(std::move(peaks), std::get<forecast::StepSurface>(std::move(fitted)));
}

std::variant<forecast::Prediction, forecast::Refusal> MemoryLaw::forecast(
    const MemorySetting& asked) const {
  const auto answer = surface_.forecast(as_step(asked));
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return in_own_words(*refusal);
  }
  auto found = std::get<forecast::SurfaceForecast>(answer).step_s * gigabyte;
  for (const auto& peak : peaks_) {
    if (peak.setting == asked) {
      found.interval_80.high = std::max(found.interval_80.high, peak.bytes);
      found.interval_95.high = std::max(found.interval_95.high, peak.bytes);
    }
  }
  return found;
}

std::optional<std::int64_t> MemoryLaw::largest_batch(const MemorySetting& asked,
                                                     double bytes) const {
  const auto fits = [&](std::int64_t batch) {
    auto at = asked;
    at.batch = static_cast<double>(batch);
    const auto answer = forecast(at);
    const auto* found = std::get_if<forecast::Prediction>(&answer);
    return found != nullptr && found->interval_95.high <= bytes;
  };
  // Of small batches far from the runs nothing may be known: the search begins at one that was run.
  const auto& smallest = *std::ranges::min_element(
      peaks_, {}, [](const SettingPeak& peak) { return peak.setting.batch; });
  auto largest = static_cast<std::int64_t>(std::min(smallest.setting.batch, asked.batch));
  while (largest > 0 && !fits(largest)) {
    largest /= 2;
  }
  if (largest == 0) {
    return std::nullopt;
  }
  auto beyond = static_cast<std::int64_t>(asked.batch) + 1;
  while (largest + 1 < beyond) {
    const auto middle = largest + (beyond - largest) / 2;
    (fits(middle) ? largest : beyond) = middle;
  }
  return largest;
}

}  // namespace epochcast::memory
