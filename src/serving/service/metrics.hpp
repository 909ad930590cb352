// What a service counts and measures, and its page for Prometheus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/serving/http/server.hpp"

namespace epochcast::serve {

/// Counts of values up to each of some bounds.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void add(double value);
  /// The lines of the format of Prometheus for the metric `name`.
  std::string lines(const std::string& name) const;

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;  ///< The last: above all bounds.
  double sum_ = 0;
};

enum class CacheUse { hit, miss, failed };

/// What is true at this moment.
struct Gauges {
  bool ready = false;
  std::size_t queue = 0;
  std::size_t queue_limit = 0;
  std::size_t abandoned = 0;  ///< Inputs, since the start.
};

/// Any thread may call any function.
class Metrics {
 public:
  Metrics();

  void add_answer(const std::string& path, int status);
  /// From the receipt of a whole request to its answer, if that is 200.
  void add_latency(double seconds);
  void add_batch(std::size_t inputs, double seconds);
  void add_cache_use(CacheUse use);

  std::uint64_t answers(const std::string& path, int status) const;

  /// Text format 0.0.4.
  std::string page(const Gauges& gauges, const http::ServerCounts& server) const;

 private:
  struct Passes {
    std::uint64_t number = 0;
    double seconds = 0;
  };

  mutable std::mutex mutex_;  ///< Of what follows.
  std::map<std::pair<std::string, int>, std::uint64_t> answers_;
  Histogram latencies_;
  Histogram batch_inputs_;
  Histogram batch_seconds_;
  std::map<std::size_t, Passes> passes_;  ///< By the number of inputs.
  std::map<CacheUse, std::uint64_t> cache_uses_;
};

}  // namespace epochcast::serve
