#include "src/base/core/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace epochcast {
namespace {

constexpr double us_per_s = 1e6;
constexpr std::int64_t highest_us = 3'600'000'000;
/// Counters of a doubling, as a power of two: 2 * 1024 is the first above 2 * 10^3.
constexpr int half_bits = 10;

/// How many bits of the value its counter does not tell apart.
int dropped_bits(std::int64_t value_us) {
  return std::max(
      0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value_us))) - (half_bits + 1));
}

std::size_t index_of(std::int64_t value_us) {
  const int dropped = dropped_bits(value_us);
  return static_cast<std::size_t>((std::int64_t(dropped) << half_bits) + (value_us >> dropped));
}

LatencyHistogram::Bin bin_at(std::size_t index, std::int64_t count) {
  const auto place = static_cast<std::int64_t>(index);
  const auto dropped = std::max<std::int64_t>(0, (place >> half_bits) - 1);
  return {.low_us = (place - (dropped << half_bits)) << dropped,
          .width_us = std::int64_t(1) << dropped,
          .count = count};
}

double upper_s(const LatencyHistogram::Bin& bin) {
  return static_cast<double>(bin.low_us + bin.width_us - 1) / us_per_s;
}

}  // namespace

void LatencyHistogram::add(double latency_s) {
  const double us = std::clamp(latency_s * us_per_s, 0.0, static_cast<double>(highest_us));
  add(Bin{.low_us = std::llround(us), .count = 1});
}

void LatencyHistogram::add(const Bin& bin) {
  const auto index = index_of(std::clamp<std::int64_t>(bin.low_us, 0, highest_us));
  if (index >= counts_.size()) {
    counts_.resize(index + 1);
  }
  counts_[index] += bin.count;
  total_ += bin.count;
}

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (const auto& bin : other.bins()) {
    add(bin);
  }
}

void LatencyHistogram::clear() {
  std::ranges::fill(counts_, 0);
  total_ = 0;
}

std::vector<LatencyHistogram::Bin> LatencyHistogram::bins() const {
  std::vector<Bin> bins;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) {
      bins.push_back(bin_at(i, counts_[i]));
    }
  }
  return bins;
}

double LatencyHistogram::quantile_s(double probability) const {
  if (total_ == 0) {
    throw std::logic_error("quantile of no latencies");
  }
  constexpr double rounding = 1e-9;  // 0.99 * 100 is above 99
  const double rank = std::ceil(probability * static_cast<double>(total_) - rounding);
  const auto wanted = std::clamp<std::int64_t>(static_cast<std::int64_t>(rank), 1, total_);
  std::int64_t seen = 0;
  std::size_t index = 0;
  while ((seen += counts_[index]) < wanted) {
    ++index;
  }
  return upper_s(bin_at(index, counts_[index]));
}

std::int64_t LatencyHistogram::count_up_to(double latency_s) const {
  std::int64_t count = 0;
  for (const auto& bin : bins()) {
    count += upper_s(bin) <= latency_s ? bin.count : 0;
  }
  return count;
}

}  // namespace epochcast
