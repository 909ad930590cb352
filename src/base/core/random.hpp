// Random numbers that are the same with every standard library: its generators are, its
// distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace epochcast {

class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  /// From 0 up to, not including, 1.
  double uniform() { return static_cast<double>(generator_() >> 11U) * 0x1p-53; }
  /// With mean 1.
  double exponential() { return -std::log1p(-uniform()); }
  /// From 0 up to, not including, `count`.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(generator_() % count); }

 private:
  std::mt19937_64 generator_;
};

}  // namespace epochcast
