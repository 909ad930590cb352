#include "analysis/predict/probed_scaling.hpp"

#include <gtest/gtest.h>

#include "tests/analysis/made_records.hpp"

namespace epochcast::analysis {
namespace {

constexpr double own_s = 0.06;
constexpr std::int64_t parameters = 17'000'000;

/// A ring of `ranks` over links of so many bytes a second.
double ring_s(double ranks, double bytes, double bytes_per_s) {
  return 2 * (ranks - 1) / ranks * bytes / bytes_per_s;
}

/// A run of as many ranks on `nodes` whose gradients hide half after the backward pass.
record::Record made_run(std::int64_t ranks, std::int64_t nodes, double bytes_per_s) {
  auto record = made_record({.allocation = std::to_string(ranks), .cpus = 1});
  record.machines.resize(static_cast<std::size_t>(ranks), record.machines.front());
  record.work.front().parameter_count = parameters;
  const double gradient_sync_wait_s =
      0.5 * ring_s(static_cast<double>(ranks), 4.0 * parameters, bytes_per_s);
  for (std::int64_t index = 0; index < 3; ++index) {
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      record.iterations.push_back({.rank = rank,
                                   .index = index,
                                   .step_s = own_s + gradient_sync_wait_s,
                                   .gradient_sync_wait_s = gradient_sync_wait_s,
                                   .samples = 16});
    }
  }
  for (const std::int64_t bytes : {1'000'000, 20'000'000}) {
    record.probes.push_back(
        {.name = "all_reduce",
         .ranks = ranks,
         .nodes = nodes,
         .message_bytes = bytes,
         .seconds = ring_s(static_cast<double>(ranks), static_cast<double>(bytes), bytes_per_s)});
  }
  return record;
}

/// Points of one and of four ranks on a node, probes of theirs and of two ranks on two nodes.
struct Made {
  std::vector<LoadedRecord> records{loaded(made_run(1, 1, 1e10)), loaded(made_run(4, 1, 1e10)),
                                    loaded(made_run(2, 2, 4e9))};
  ProbedRuns runs() const {
    return {{{1, 10, 1}, {4, 32, 1}}, {&records[0].record, &records[1].record}, probes_of(records)};
  }
};

TEST(ProbedScaling, CarriesAStepToNodesThatWereOnlyProbed) {
  const Made made;
  const auto found = forecast_by_probes(made.runs(), {.workers = 8, .nodes = 2});
  const double here_s = own_s + 0.5 * ring_s(4, 4.0 * parameters, 1e10);
  const double there_s = own_s + 0.5 * ring_s(8, 4.0 * parameters, 4e9);
  EXPECT_NEAR(found.value().throughput.value, 32 * 2 * here_s / there_s, 1e-6);
  EXPECT_LT(found->throughput.interval_80.low, found->throughput.value);
}

TEST(ProbedScaling, IsEmptyWhereRunsKnowBetterOrNothingIsKnown) {
  const Made made;
  auto runs = made.runs();
  EXPECT_FALSE(forecast_by_probes(runs, {.workers = 8, .nodes = 1}).has_value());
  EXPECT_FALSE(forecast_by_probes(runs, {.workers = 8, .nodes = 3}).has_value());
  runs.probes.clear();
  EXPECT_FALSE(forecast_by_probes(runs, {.workers = 8, .nodes = 2}).has_value());
  runs = made.runs();
  runs.points.pop_back();
  runs.records.pop_back();  // one rank alone exchanges nothing
  EXPECT_FALSE(forecast_by_probes(runs, {.workers = 8, .nodes = 2}).has_value());
}

}  // namespace
}  // namespace epochcast::analysis
