// predict --crossover --from FILE: waking threads is a part of a step on several CPUs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/text.hpp"
#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr double made_layer_s = 2e-5;
constexpr double made_flop_s = 1e-9;
constexpr double made_wakes_s = 3e-5;  ///< Of a layer: three operators of 10 us.

/// Two threads halve the arithmetic where that saves more than waking them costs.
double made_depth_step_s(std::int64_t cpus, double layers, double flops) {
  const double one_s = made_layer_s * layers + made_flop_s * flops;
  return cpus == 1 ? one_s
                   : std::min(one_s, one_s - made_flop_s * flops / 2 + made_wakes_s * layers);
}

class PredictCrossover : public Program {
 protected:
  /// Three networks on one CPU and on two.
  std::string sweep() {
    std::vector<record::Record> records;
    for (const std::int64_t cpus : {1, 2}) {
      for (const int depth : {2, 7, 11}) {
        const double flops = std::pow(4.0, depth);
        auto& record = records.emplace_back(made_record(
            {.allocation = fmt::format("cpu{}", cpus), .epochs = 1, .cpus = cpus, .batch = 1}));
        record.header.point = fmt::format("sweep.{}.{}", cpus, depth);
        record.parameters.push_back(parameter_row("model.depth", std::to_string(depth)));
        record.epochs.front().wall_s = 4 * made_depth_step_s(cpus, depth, flops);
        record.work.front().iterations_per_epoch = 4;
        record.work.front().parameter_count = static_cast<std::int64_t>(flops);
        record.work.front().flops_per_sample = flops;
      }
    }
    write_records(records, folder_ / "sweep");
    return folder_ / "sweep";
  }

  std::string machine(const std::string& figure) {
    set_bytes(folder_ / "node.yaml",
              "label: node\nnames: [node]\nsource: measured\nfigures:\n  " + figure + "\n");
    return folder_ / "node.yaml";
  }
};

TEST_F(PredictCrossover, IsWhereTheArithmeticSavesMoreThanWakingThreadsCosts) {
  const auto records = sweep();
  const auto answer = analyze({"predict", records, "--crossover", "--from",
                               machine("thread_wake_us: 10"), "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  // flops / 2 * 1 ns = 30 us a layer: 60,000 FLOPs a layer, at a depth of 9 to 10.
  EXPECT_THAT(answer.out, ContainsRegex("cpu1,cpu2,3,yes,(5[0-9]{5}|6[0-9]{5}),"));
  const auto notes = analyze({"predict", records, "--crossover", "--from",
                              machine("thread_wake_us: 10"), "--format", "markdown"});
  EXPECT_THAT(notes.out, HasSubstr("waking threads costs 30.0 us a layer"));
  EXPECT_THAT(notes.out, HasSubstr("too small to gain from it run on fewer threads"));
  const auto longer = analyze({"predict", records, "--crossover", "--from",
                               machine("thread_wake_us: 20"), "--format", "csv"});
  EXPECT_THAT(longer.out, ContainsRegex("cpu1,cpu2,3,yes,1[0-9]{6},"));
}

TEST_F(PredictCrossover, HoldsOnThePublishedDepthSweep) {
  const std::string records = folder_ / "published";
  EXPECT_EQ(analyze({"import", "published", "depth_sweep", "-o", records}).status, 0);
  const auto answer =
      analyze({"predict", records, "--crossover", "--filter", "model.depth=2", "--filter",
               "model.depth=7", "--filter", "model.depth=13", "--format", "csv"});
  const auto row = csv_row(answer.out, "first", "cpu");
  constexpr double all_networks = 462069;  // interpolated between depths 9 and 10
  EXPECT_LE(parse_double(row.at("low_80_parameters")), all_networks);
  EXPECT_GE(parse_double(row.at("high_80_parameters")), all_networks);
}

TEST_F(PredictCrossover, ADeviceWithoutTheTimeToWakeAThreadIsAnError) {
  const auto records = sweep();
  const auto answer =
      analyze({"predict", records, "--crossover", "--from", machine("achieved_fp32_tflops: 1")});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("has no thread_wake_us; epochcast-train measure-device"));
  EXPECT_EQ(analyze({"predict", records, "--from", machine("thread_wake_us: 1")}).status, 2);
}

}  // namespace
}  // namespace epochcast::analysis
