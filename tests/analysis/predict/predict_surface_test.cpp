// predict --batch-size, --input-length, --cpus: the forecast surface, asked as a user would.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::int64_t made_samples = 1024;

double made_surface_step_s(std::int64_t batch, std::int64_t cpus) {
  return 0.02 + 0.001 * static_cast<double>(batch) / static_cast<double>(cpus);
}

/// A run of 3 epochs of 1024 samples, whose steps follow that law.
record::Record made_at(std::int64_t batch, std::int64_t cpus) {
  const auto steps = made_samples / batch;
  auto record =
      made_record({.allocation = fmt::format("cpu{}", cpus),
                   .epochs = 3,
                   .epoch_s = static_cast<double>(steps) * made_surface_step_s(batch, cpus),
                   .cpus = cpus,
                   .batch = batch});
  record.work.front().samples_per_epoch = made_samples;
  record.work.front().iterations_per_epoch = steps;
  double start_s = 0;
  for (auto& epoch : record.epochs) {
    epoch.wall_s = static_cast<double>(steps) * made_surface_step_s(batch, cpus);
    epoch.start_s = start_s;
    epoch.samples = made_samples;
    epoch.iterations = steps;
    start_s += epoch.wall_s;
  }
  return record;
}

class PredictSurface : public Program {
 protected:
  std::string written(const std::vector<record::Record>& records) {
    write_records(records, folder_ / "surface");
    return folder_ / "surface";
  }
  std::string two_dimensions() {
    return written({made_at(16, 1), made_at(32, 1), made_at(64, 1), made_at(128, 1), made_at(32, 2),
                    made_at(64, 2), made_at(32, 4), made_at(64, 4)});
  }
};

TEST_F(PredictSurface, ForecastsAnotherBatchSizeAndMoreCpusTogether) {
  const auto folder = two_dimensions();
  const auto answer = analyze({"predict", folder, "--batch-size", "128", "--cpus", "4", "--epochs",
                               "100", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, ContainsRegex("\nforecast,128,,1,4,1,5[12]\\.[0-9]+,"));  // 20 + 128/4 ms
  const auto run = analyze({"predict", folder, "--batch-size", "128", "--cpus", "4", "--epochs",
                            "100", "--part", "surface_run", "--format", "csv"});
  EXPECT_THAT(run.out, ContainsRegex("\n0.0,800.0,4[12]\\.[0-9],0.0,4[12]\\.[0-9],"));
  const auto terms = analyze({"predict", folder, "--batch-size", "128", "--cpus", "4", "--part",
                              "step_terms", "--format", "csv"});
  EXPECT_THAT(terms.out, AllOf(HasSubstr("\narithmetic,3"), HasSubstr("\nfixed,")));
}

TEST_F(PredictSurface, RefusesWhatNeverVariedAndNamesTheRun) {
  const auto folder = written({made_at(16, 2), made_at(32, 2), made_at(64, 2)});
  const auto answer = analyze({"predict", folder, "--batch-size", "32", "--cpus", "8"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out,
              HasSubstr("refused: all runs have the same number of CPUs per process, 2"));
  EXPECT_THAT(answer.out, ContainsRegex("a run with 4\\s+would allow"));
  const auto within = analyze({"predict", folder, "--batch-size", "128", "--format", "csv"});
  EXPECT_EQ(within.status, 0) << within.err;
  EXPECT_THAT(within.out, ContainsRegex("\nforecast,128,,1,2,1,8[34]\\.[0-9]+,"));  // 20 + 64 ms
}

TEST_F(PredictSurface, AsksForWhatTheRunsDifferIn) {
  const auto folder = two_dimensions();
  const auto no_batch = analyze({"predict", folder, "--cpus", "4"});
  EXPECT_EQ(no_batch.status, 2);
  EXPECT_THAT(no_batch.err, HasSubstr("the runs differ in the batch size (16, 32, 64, 128): give "
                                      "--batch-size N"));
  const auto no_cpus = analyze({"predict", folder, "--batch-size", "48"});
  EXPECT_EQ(no_cpus.status, 2);
  EXPECT_THAT(no_cpus.err,
              HasSubstr("the runs differ in the number of CPUs (1, 2, 4): give --cpus N"));
  const auto length = analyze({"predict", folder, "--input-length", "64", "--cpus", "1"});
  EXPECT_EQ(length.status, 2);
  EXPECT_THAT(length.err, HasSubstr("no record states the parameter model.length"));
  const auto on = analyze({"predict", folder, "--batch-size", "48", "--on", "v100"});
  EXPECT_THAT(on.err, HasSubstr("the runs differ in the number of CPUs (1, 2, 4): give --cpus N"));
}

struct MadeLayout {
  int tensor = 1;
  int pipeline = 1;
  int replicas = 1;
  int micro = 1;
};

/// 64 samples a step; a bubble, an all-reduce for each layer, and launches of each micro batch.
double made_layout_step_s(const MadeLayout& at) {
  const double micro_steps = 64.0 / at.replicas / at.micro + at.pipeline - 1;
  return micro_steps / at.pipeline *
         (0.002 + at.micro * (0.01 / at.tensor + 0.004 * (1 - 1.0 / at.tensor)));
}

/// A run of a divided model on 8 GPUs or fewer, in one record.
record::Record made_layout(const MadeLayout& at) {
  auto record =
      made_record({.allocation = "dgx", .epochs = 3, .gpu = "NVIDIA A100-SXM4-80GB", .batch = 64});
  record.header.point =
      fmt::format("made.t{}p{}d{}m{}", at.tensor, at.pipeline, at.replicas, at.micro);
  for (const auto& [name, value] : {std::pair{"tensor_parallel", at.tensor},
                                    {"pipeline_parallel", at.pipeline},
                                    {"data_parallel", at.replicas},
                                    {"micro_batch", at.micro}}) {
    record.parameters.push_back(parameter_row(name, std::to_string(value)));
  }
  record.parameters.push_back(parameter_row(
      "command",
      fmt::format("torchrun --nproc-per-node={} pretrain.py --tp {} --pp {} --mb {}",
                  at.tensor * at.pipeline * at.replicas, at.tensor, at.pipeline, at.micro)));
  record.work.front().samples_per_epoch = 640;
  record.work.front().iterations_per_epoch = 10;
  for (auto& epoch : record.epochs) {
    epoch.wall_s = 10 * made_layout_step_s(at);
    epoch.samples = 640;
    epoch.iterations = 10;
  }
  return record;
}

std::vector<record::Record> made_layouts(const std::vector<int>& micro_batches) {
  std::vector<record::Record> records;
  for (const int micro : micro_batches) {
    for (const auto& [tensor, pipeline, replicas] : {std::tuple{1, 1, 8},
                                                     {1, 2, 4},
                                                     {1, 4, 2},
                                                     {2, 1, 4},
                                                     {4, 1, 2},
                                                     {4, 2, 1},
                                                     {8, 1, 1},
                                                     {1, 1, 4},
                                                     {1, 2, 2},
                                                     {2, 1, 2},
                                                     {4, 1, 1},
                                                     {2, 2, 1}}) {
      records.push_back(made_layout({tensor, pipeline, replicas, micro}));
    }
  }
  return records;
}

TEST_F(PredictSurface, ForecastsALayoutOfALargeModelFromOthers) {
  const auto folder = written(made_layouts({1, 2, 4}));
  const auto answer = analyze({"predict", folder, "--gpus", "8", "--layout", "tensor_parallel=2",
                               "--layout", "pipeline_parallel=2", "--layout", "micro_batch=2",
                               "--steps", "100", "--part", "surface", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto row = csv_row(answer.out, "source", "forecast");
  ASSERT_FALSE(row.empty()) << answer.out;
  EXPECT_EQ(row.at("tensor_parallel"), "2");
  EXPECT_EQ(row.at("micro_batch"), "2");
  EXPECT_EQ(row.at("batch"), "8") << "64 samples among 8 GPUs, as in the runs";
  const double step_ms = 1e3 * made_layout_step_s({2, 2, 2, 2});
  EXPECT_NEAR(std::stod(row.at("step_ms")) / step_ms, 1, 0.05) << step_ms;
}

TEST_F(PredictSurface, KnowsTheNamesOfFrameworks) {
  const auto asked = [&](const std::string& folder, const std::string& tensor) {
    return analyze({"predict", folder, "--gpus", "8", "--layout", tensor + "=2", "--layout",
                    "pipeline_parallel=2", "--layout", "micro_batch=2", "--part", "surface",
                    "--format", "csv"})
        .out;
  };
  auto records = made_layouts({1, 2, 4});
  const auto own = asked(written(records), "tensor_parallel");
  EXPECT_THAT(own, HasSubstr("forecast"));
  for (auto& record : records) {
    for (auto& row : record.parameters) {
      for (const auto& [name, of_megatron] :
           {std::pair{"tensor_parallel", "tensor_model_parallel_size"},
            {"pipeline_parallel", "pipeline_model_parallel_size"},
            {"data_parallel", "data_parallel_size"},
            {"micro_batch", "micro_batch_size"}}) {
        row.name = row.name.view() == name ? record::FixedText<64>(of_megatron) : row.name;
      }
    }
  }
  write_records(records, folder_ / "megatron");
  EXPECT_EQ(asked(folder_ / "megatron", "tensor_model_parallel_size"), own);
}

TEST_F(PredictSurface, RefusesLayoutsOfDifferentCommands) {
  auto records = made_layouts({1, 2});
  records.back().parameters.back() =
      parameter_row("command", "torchrun --nproc-per-node=4 pretrain.py --tp 2 --pp 2 --mb 4");
  const auto answer =
      analyze({"predict", written(records), "--gpus", "8", "--layout", "tensor_parallel=2"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("the records differ in command"))
      << "its micro batch is 2, so the 4 is something else";
}

TEST_F(PredictSurface, RefusesALayoutWhereNothingVariedOrThatIsNone) {
  const auto folder = written(made_layouts({2}));
  const auto ask = [&](const std::string& layout) {
    return analyze({"predict", folder, "--gpus", "8", "--layout", "tensor_parallel=2", "--layout",
                    "pipeline_parallel=2", "--layout", layout});
  };
  const auto refused = ask("micro_batch=8");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("refused: all runs have the same micro batch, 2"));
  EXPECT_EQ(ask("micro_batch=2").status, 0);
  const auto not_whole = ask("tensor_parallel=3");
  EXPECT_EQ(not_whole.status, 2);
  EXPECT_THAT(not_whole.err, HasSubstr("8 workers cannot be divided into tensor_parallel 3"));
  EXPECT_THAT(ask("micro_batch=7").err, HasSubstr("the 64 samples of a step cannot be divided"));
  EXPECT_THAT(ask("micro_bach=2").err, HasSubstr("did you mean 'micro_batch'?"));
  EXPECT_THAT(ask("micro_batch=two").err, HasSubstr("expected a whole number of at least 1"));
  EXPECT_THAT(analyze({"predict", folder, "--gpus", "8"}).err,
              HasSubstr("the runs differ in tensor_parallel (1, 2, 4, 8): give --layout "
                        "tensor_parallel=N"));
}

/// A run on a GPU that held 2 GB and 0.5 GB of each sample, its process 1 GB and 10 MB.
record::Record made_on_gpu(std::int64_t batch) {
  auto record = made_at(batch, 2);
  record.parameters.push_back(parameter_row("device", "cuda"));
  record.machines.front().gpu_name = "NVIDIA A100-SXM4-80GB";
  const auto samples = static_cast<double>(batch);
  record.telemetry.push_back({.end_s = 1, .duration_s = 1, .resident_bytes = 1e9 + 1e7 * samples});
  record.telemetry_gpus.push_back(
      {.end_s = 1, .duration_s = 1, .memory_bytes = 2e9 + 5e8 * samples});
  return record;
}

TEST_F(PredictSurface, ForecastsTheMemoryOfANodeAndOfAGpu) {
  const auto folder = written({made_on_gpu(16), made_on_gpu(32), made_on_gpu(64)});
  const auto answer =
      analyze({"predict", folder, "--batch-size", "48", "--part", "memory", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("of a node,1.480,"), HasSubstr("of a GPU,26.000,")));
}

TEST_F(PredictSurface, SaysWhetherTheMemoryFitsOnADevice) {
  const auto folder = written({made_on_gpu(16), made_on_gpu(32), made_on_gpu(64)});
  const auto on = [&](const std::string& batch) {
    return analyze(
        {"predict", folder, "--batch-size", batch, "--on", "a100_40g", "--format", "csv"});
  };
  EXPECT_THAT(on("32").out, HasSubstr("fits: "));
  const auto too_large = on("256");
  EXPECT_EQ(too_large.status, 0) << too_large.err;
  EXPECT_THAT(too_large.out, ContainsRegex("does not fit: [0-9.]+ to [0-9.]+ GB of 40,[56][0-9]"))
      << "2 + 0.5 * 76 GB were 40, but for the interval";
}

TEST_F(PredictSurface, RefusesTheMemoryOfAGpuFromRunsOnCpus) {
  const auto on_cpus = analyze(
      {"predict", two_dimensions(), "--batch-size", "48", "--cpus", "4", "--on", "a100_40g"});
  EXPECT_EQ(on_cpus.status, 1);
  EXPECT_THAT(on_cpus.out, HasSubstr("no run has samples of the memory of one"));
}

/// A run of a network of one hidden layer that held 300 MB, 16 bytes of each parameter and five
/// times the bytes that a sample moves.
record::Record made_network(std::int64_t width, std::int64_t batch) {
  auto record = made_at(batch, 2);
  record.header.point = fmt::format("width.{}.{}", width, batch);
  record.parameters.push_back(parameter_row("model.width", std::to_string(width)));
  auto& work = record.work.front();
  work.parameter_count = 1000 * width + width * width;
  work.bytes_per_sample = 4.0 * static_cast<double>(3000 + width);
  record.telemetry.push_back(
      {.end_s = 1,
       .duration_s = 1,
       .resident_bytes = 3e8 + 16.0 * static_cast<double>(work.parameter_count) +
                         5.0 * work.bytes_per_sample * static_cast<double>(batch)});
  return record;
}

TEST_F(PredictSurface, ForecastsTheMemoryOfANetworkOfAnotherSize) {
  std::vector<record::Record> records;
  for (const std::int64_t width : {1000, 2000, 4000}) {
    for (const std::int64_t batch : {16, 64, 1024}) {
      records.push_back(made_network(width, batch));
    }
  }
  const auto asked = made_network(3000, 256);
  const auto parameters = std::to_string(asked.work.front().parameter_count);
  const auto folder = written(records);
  const auto answer = analyze(
      {"predict", folder, "--parameters", parameters, "--batch-size", "256", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto row = csv_rows(answer.out).at(0);
  const auto held_gb = asked.telemetry.front().resident_bytes / 1e9;
  EXPECT_EQ(row.at("memory"), "of a node");
  EXPECT_NEAR(std::stod(row.at("most_GB")), held_gb, 0.02 * held_gb);
  const auto text = analyze({"predict", folder, "--parameters", parameters, "--batch-size", "256"});
  EXPECT_THAT(text.out, HasSubstr("Memory of a network of 12000000 parameters at a batch size"));
  const auto epochs = analyze({"predict", folder, "--parameters", parameters, "--epochs", "5"});
  EXPECT_EQ(epochs.status, 2);
  EXPECT_THAT(epochs.err, HasSubstr("--epochs: cannot be combined with --parameters"));
}

TEST_F(PredictSurface, RefusesTheMemoryOfAnotherNetworkFromRunsOfOne) {
  auto unknown = made_network(1000, 64);
  unknown.work.front().parameter_count = 0;
  const auto answer =
      analyze({"predict", written({made_network(1000, 16), made_network(1000, 32), unknown}),
               "--parameters", "9000000", "--batch-size", "32"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, ContainsRegex("all runs have the same number of\\s+parameters, 2e\\+06"));
  EXPECT_THAT(answer.out, HasSubstr("left out: does not state its number of parameters"));
}

TEST_F(PredictSurface, ForecastsAnotherInputLength) {
  std::vector<record::Record> records;
  for (const std::int64_t length : {32, 64, 128}) {
    auto& record = records.emplace_back(made_at(16, 2));
    record.header.point = fmt::format("length.{}", length);
    record.parameters.push_back(parameter_row("model.length", std::to_string(length)));
    for (auto& epoch : record.epochs) {
      epoch.wall_s = 64 * (0.01 + 1e-4 * static_cast<double>(length));
    }
  }
  const auto answer =
      analyze({"predict", written(records), "--input-length", "256", "--format", "csv"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, ContainsRegex("\nforecast,16,256,1,2,1,3[5-7]\\.[0-9]+,"));  // 35.6 ms
}

TEST_F(PredictSurface, RefusesRunsOfDifferentWorkOrHardware) {
  auto other = made_at(32, 1);
  other.parameters.push_back(parameter_row("model.depth", "3"));
  const auto work = analyze({"predict", written({made_at(16, 1), other}), "--batch-size", "64"});
  EXPECT_EQ(work.status, 2);
  EXPECT_THAT(work.err, HasSubstr("the records differ in model.depth"));
  auto elsewhere = made_at(64, 1);
  elsewhere.machines.front().cpu_model = "another CPU";
  write_records({made_at(16, 1), elsewhere}, folder_ / "machines");
  const auto hardware = analyze({"predict", folder_ / "machines", "--batch-size", "64"});
  EXPECT_EQ(hardware.status, 2);
  EXPECT_THAT(hardware.err, HasSubstr("different hardware: '' and 'another CPU'"));
}

TEST_F(PredictSurface, CountsProcessesOfCpusAndGpus) {
  const auto several = [&](std::int64_t batch, std::int64_t ranks, const std::string& gpu) {
    auto record = made_at(batch, 1);
    record.header.point = fmt::format("ranks.{}.{}.{}", batch, ranks, gpu.size());
    record.machines.front().gpu_name = gpu;
    record.machines.resize(static_cast<std::size_t>(ranks), record.machines.front());
    for (auto& row : record.parameters) {
      row.value = row.name == "device" && !gpu.empty() ? "cuda" : row.value.str();
    }
    for (auto& epoch : record.epochs) {  // half as many steps of each, and 10 ms of messages
      epoch.iterations = made_samples / batch / ranks;
      epoch.wall_s = static_cast<double>(epoch.iterations) *
                     (made_surface_step_s(batch, 1) + 0.01 * static_cast<double>(ranks - 1));
    }
    record.work.front().iterations_per_epoch = made_samples / batch / ranks;
    return record;
  };
  for (const std::string gpu : {"", "Tesla T4"}) {
    std::vector<record::Record> records;
    for (const std::int64_t batch : {16, 32, 64}) {
      for (const std::int64_t ranks : {1, 2, 4}) {
        if (batch == 16 || ranks < 4) {
          records.push_back(several(batch, ranks, gpu));
        }
      }
    }
    const auto folder = folder_ / ("processes" + std::to_string(gpu.size()));
    write_records(records, folder);
    const auto answer = analyze({"predict", folder, "--batch-size", "64",
                                 gpu.empty() ? "--cpus" : "--gpus", "4", "--format", "csv"});
    EXPECT_EQ(answer.status, 0) << answer.err;
    // 20 + 64 + 3 * 10 ms
    EXPECT_THAT(answer.out, ContainsRegex(gpu.empty() ? "\nforecast,64,,4,1,1,11[2-6]\\.[0-9]+,"
                                                      : "\nforecast,64,,4,,1,11[2-6]\\.[0-9]+,"));
  }
}

TEST_F(PredictSurface, NamesTheCoresThatTheRunsDidNotUse) {
  std::vector<record::Record> records;
  for (const std::int64_t cpus : {1, 2, 4}) {
    for (const std::int64_t batch : {16, 32}) {
      auto& record = records.emplace_back(made_at(batch, cpus));
      record.machines.front().cores = 4;
      record.machines.front().threads_per_core = 2;
    }
  }
  const auto answer = analyze({"predict", written(records), "--batch-size", "32", "--cpus", "8"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("beyond 4 begin second hardware threads of the same cores"));
}

TEST_F(PredictSurface, AWholeRunCountsItsStepsAndASmallerLastOne) {
  const auto folder = written({made_at(16, 1), made_at(32, 1), made_at(64, 1)});
  const auto by_steps = analyze({"predict", folder, "--batch-size", "32", "--steps", "1000",
                                 "--part", "surface_run", "--format", "csv"});
  EXPECT_EQ(by_steps.status, 0) << by_steps.err;
  EXPECT_EQ(csv_rows(by_steps.out).at(0).at("steps"), "1000.0");
  EXPECT_THAT(csv_rows(by_steps.out).at(0).at("steps_s"), StartsWith("52."));  // 20 + 32 ms
  const auto uneven = analyze({"predict", folder, "--batch-size", "48", "--epochs", "1", "--part",
                               "surface_run", "--format", "csv"});
  // 1024 / 48 = 21 and 16 samples, 36 of 68 ms
  EXPECT_EQ(csv_rows(uneven.out).at(0).at("steps"), "21.5");
}

}  // namespace
}  // namespace epochcast::analysis
