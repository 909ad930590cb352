// Random numbers that are the same with every standard library.
#pragma once

#include <cstdint>
#include <random>

namespace epochcast::load {

class Random {
 public:
  explicit Random(std::int64_t seed) : engine_(static_cast<std::uint64_t>(seed)) {}

  /// From 0 up to, not including, 1.
  double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// From 0 up to, not including, `count`.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace epochcast::load
