#include "src/serving/service/metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace epochcast::serve {
namespace {

/// 2 s is the threshold of the published load test.
const std::vector<double> latency_bounds_s{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                           0.25,  0.5,    1,     2,    5,     10,   30};
const std::vector<double> batch_bounds_s{0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                         0.1,   0.2,   0.5,   1,    2,    5};
const std::vector<double> batch_bounds{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

std::string head(const std::string& name, const std::string& type, const std::string& meaning) {
  return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, meaning);
}

template <class Value>
std::string single(const std::string& name, const std::string& type, const std::string& meaning,
                   Value value) {
  return head(name, type, meaning) + fmt::format("{} {}\n", name, value);
}

std::int64_t resident_bytes() {
  std::int64_t size = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t open_descriptors() {
  std::error_code ignored;
  std::filesystem::directory_iterator entries("/proc/self/fd", ignored);
  return std::distance(begin(entries), end(entries)) - 1;  // less the one that reads the folder
}

std::string process_lines() {
  return single("process_resident_memory_bytes", "gauge", "Memory of the process.",
                resident_bytes()) +
         single("process_open_fds", "gauge", "Open files of the process.", open_descriptors());
}

std::string gauge_lines(const Gauges& gauges, const http::ServerCounts& server) {
  return single("epochcast_ready", "gauge", "1 if the model is warm and the service is not ending.",
                gauges.ready ? 1 : 0) +
         single("epochcast_queue_inputs", "gauge", "Inputs that wait for a micro-batch.",
                gauges.queue) +
         single("epochcast_queue_limit_inputs", "gauge", "Most inputs that may wait.",
                gauges.queue_limit) +
         single("epochcast_abandoned_inputs_total", "counter",
                "Inputs that were not computed because their client had gone.", gauges.abandoned) +
         single("epochcast_connections", "gauge", "Open connections.", server.connections.load()) +
         single("epochcast_connections_accepted_total", "counter", "Connections since the start.",
                server.accepted.load()) +
         single("epochcast_connections_refused_total", "counter",
                "Connections closed because there were too many.", server.refused.load()) +
         single("epochcast_connections_cut_off_total", "counter",
                "Connections closed because the client was too slow.", server.cut_off.load());
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::add(double value) {
  const auto bound = std::ranges::lower_bound(bounds_, value);
  ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
  sum_ += value;
}

std::string Histogram::lines(const std::string& name) const {
  std::string lines;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    lines += fmt::format("{}_bucket{{le=\"{}\"}} {}\n", name,
                         i < bounds_.size() ? fmt::format("{}", bounds_[i]) : "+Inf", count);
  }
  return lines + fmt::format("{0}_sum {1}\n{0}_count {2}\n", name, sum_, count);
}

Metrics::Metrics()
    : latencies_(latency_bounds_s), batch_inputs_(batch_bounds), batch_seconds_(batch_bounds_s) {}

void Metrics::add_answer(const std::string& path, int status) {
  const std::lock_guard lock(mutex_);
  ++answers_[{path, status}];
}

void Metrics::add_latency(double seconds) {
  const std::lock_guard lock(mutex_);
  latencies_.add(seconds);
}

void Metrics::add_batch(std::size_t inputs, double seconds) {
  const std::lock_guard lock(mutex_);
  batch_inputs_.add(static_cast<double>(inputs));
  batch_seconds_.add(seconds);
  auto& passes = passes_[inputs];
  ++passes.number;
  passes.seconds += seconds;
}

void Metrics::add_cache_use(CacheUse use) {
  const std::lock_guard lock(mutex_);
  ++cache_uses_[use];
}

std::uint64_t Metrics::answers(const std::string& path, int status) const {
  const std::lock_guard lock(mutex_);
  const auto found = answers_.find({path, status});
  return found == answers_.end() ? 0 : found->second;
}

std::string Metrics::page(const Gauges& gauges, const http::ServerCounts& server) const {
  std::string page = gauge_lines(gauges, server) + process_lines();
  const std::lock_guard lock(mutex_);
  page += head("epochcast_requests_total", "counter", "Answers by path and status.");
  for (const auto& [key, count] : answers_) {
    page += fmt::format("epochcast_requests_total{{path=\"{}\",status=\"{}\"}} {}\n", key.first,
                        key.second, count);
  }
  page += head("epochcast_request_seconds", "histogram",
               "Time of POST /predict from its last byte to its answer, of status 200.") +
          latencies_.lines("epochcast_request_seconds") +
          head("epochcast_batch_inputs", "histogram", "Inputs of a micro-batch.") +
          batch_inputs_.lines("epochcast_batch_inputs") +
          head("epochcast_batch_seconds", "histogram", "Time of a forward pass.") +
          batch_seconds_.lines("epochcast_batch_seconds");
  page += head("epochcast_passes_total", "counter", "Forward passes by number of inputs.");
  for (const auto& [inputs, passes] : passes_) {
    page += fmt::format("epochcast_passes_total{{inputs=\"{}\"}} {}\n", inputs, passes.number);
  }
  page += head("epochcast_passes_seconds_total", "counter",
               "Time of the forward passes by number of inputs.");
  for (const auto& [inputs, passes] : passes_) {
    page +=
        fmt::format("epochcast_passes_seconds_total{{inputs=\"{}\"}} {}\n", inputs, passes.seconds);
  }
  const auto uses = [&](CacheUse use) {
    const auto found = cache_uses_.find(use);
    return found == cache_uses_.end() ? 0 : found->second;
  };
  return page +
         single("epochcast_cache_hits_total", "counter", "Requests answered from the cache.",
                uses(CacheUse::hit)) +
         single("epochcast_cache_misses_total", "counter", "Requests that were not in the cache.",
                uses(CacheUse::miss)) +
         single("epochcast_cache_failures_total", "counter", "Uses of the cache that failed.",
                uses(CacheUse::failed));
}

}  // namespace epochcast::serve
