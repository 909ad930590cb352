// A histogram of latencies with the layout of HdrHistogram: three significant digits from 1 us to
// an hour, whatever is added, in a few thousand counters. Histograms of several runs can be added,
// and their quantiles stay as exact as those of one.
//
// Up to 2047 us, each microsecond has a counter; from there on 1024 counters for each doubling. A
// value is at most 0.1 % below the upper end of its counter.
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast {

class LatencyHistogram {
 public:
  /// The values of one counter: low_us to low_us + width_us - 1.
  struct Bin {
    std::int64_t low_us = 0;
    std::int64_t width_us = 1;
    std::int64_t count = 0;
    bool operator==(const Bin&) const = default;
  };

  /// Adds one value, in whole microseconds; below 0 counts as 0, above an hour as an hour.
  void add(double latency_s);
  /// Adds the count of a bin of another histogram.
  void add(const Bin& bin);
  void add(const LatencyHistogram& other);
  void clear();

  std::int64_t count() const { return total_; }
  /// The bins with a count, by rising value.
  std::vector<Bin> bins() const;

  /// The upper end of the first bin up to which at least a share `probability` (0 to 1) of all
  /// values lie. Throws std::logic_error if there are no values.
  double quantile_s(double probability) const;
  /// The number of values in bins that do not reach above `latency_s`.
  std::int64_t count_up_to(double latency_s) const;

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t total_ = 0;
};

}  // namespace epochcast
