#include "src/forecast/memory/run_memory.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "src/forecast/efficiency/job_use.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::memory {
namespace {

/// The largest of each of these parts of the samples: within an epoch memory goes up and down.
std::vector<double> most_of_parts(const std::vector<MemorySample>& samples, std::size_t parts) {
  const double begin_s = samples.front().at_s;
  const double part_s = (samples.back().at_s - begin_s) / static_cast<double>(parts);
  std::vector<double> most(parts, 0);
  for (const auto& sample : samples) {
    const auto part = static_cast<std::size_t>((sample.at_s - begin_s) / part_s);
    auto& of_part = most[std::min(part, parts - 1)];
    of_part = std::max(of_part, sample.bytes);
  }
  std::erase(most, 0);
  return most;
}

/// Of the rank that held most.
std::vector<MemorySample> samples_of(const record::Record& record) {
  std::map<std::int64_t, std::vector<MemorySample>> ranks;
  std::int64_t largest = 0;
  double most = 0;
  for (const auto& sample : record.telemetry) {
    if (std::isnan(sample.resident_bytes)) {
      continue;
    }
    ranks[sample.rank].push_back({sample.end_s, sample.resident_bytes});
    if (sample.resident_bytes > most) {
      most = sample.resident_bytes;
      largest = sample.rank;
    }
  }
  return ranks[largest];
}

double most_of(const std::vector<MemorySample>& samples) {
  double most = 0;
  for (const auto& sample : samples) {
    most = std::max(most, sample.bytes);
  }
  return most;
}

}  // namespace

double growth_of(const std::vector<MemorySample>& samples) {
  constexpr std::size_t parts = 16;  // as few as drifts() can tell of: each is to hold an epoch
  const auto half = samples.begin() + std::ssize(samples) / 2;
  const std::vector<MemorySample> late(half, samples.end());
  if (late.size() < 2 * parts || !(late.back().at_s > late.front().at_s)) {
    return 0;
  }
  const auto most = most_of_parts(late, parts);
  const auto middle = most.begin() + std::ssize(most) / 2;
  const bool rises = forecast::theil_sen_slope({most.begin(), middle}) > 0 &&
                     forecast::theil_sen_slope({middle, most.end()}) > 0;
  if (!rises || !forecast::drifts(most)) {
    return 0;
  }
  const double part_s = (late.back().at_s - late.front().at_s) / static_cast<double>(most.size());
  return std::max(0.0, forecast::theil_sen_slope(most) / part_s);
}

std::variant<RunMemory, forecast::Refusal> memory_of_run(const record::Record& seen,
                                                         double duration_s, double longest_s) {
  const auto peak = efficiency::peak_memory(seen);
  if (!peak.node_bytes || !(*peak.node_bytes > 0)) {
    return forecast::Refusal{peak.unknown};
  }
  const auto samples = samples_of(seen);
  RunMemory run;
  if (const double most = most_of(samples); most > 0) {
    run.growth = growth_of(samples) * *peak.node_bytes / most;
  }
  double more = 0;
  double most_more = 0;
  if (run.growth > 0) {
    if (std::isnan(duration_s)) {
      return forecast::Refusal{"its memory grows, and how long the run takes is not known"};
    }
    const double seen_s = samples.back().at_s;
    more = run.growth * std::max(0.0, duration_s - seen_s);
    most_more = run.growth * std::max(0.0, std::fmax(longest_s, duration_s) - seen_s);
  }
  const auto level =
      forecast::with_log_widths(*peak.node_bytes, between_runs * forecast::normal_half_width(0.80),
                                between_runs * forecast::normal_half_width(0.95));
  run.node_bytes = level + more;
  run.node_bytes.interval_80.high += most_more - more;
  run.node_bytes.interval_95.high += most_more - more;
  return run;
}

}  // namespace epochcast::memory
