// The record of a run on the simulated device: it says that the device is simulated, and holds what
// a run on a GPU has beside others.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "src/record/queries.hpp"
#include "tests/files.hpp"
#include "tests/gpu/simulated_gpu.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

std::set<std::string> metrics_of(const record::Record& record) {
  std::set<std::string> names;
  for (const auto& metric : record.metrics) {
    names.insert(metric.name.str());
  }
  return names;
}

TEST_F(SimulatedGpu, IsNamedInTheRecordAndInEveryTableOfDevices) {
  train("cuda", small_mlp, "p", 2);
  const auto written = record("p", "cuda");
  EXPECT_EQ(written.machines.front().gpu_name.view(), "simulated CUDA device");
  EXPECT_THAT(metrics_of(written), testing::Contains("peak_gpu_memory_bytes"));
  for (const auto* table : {"runs", "lab"}) {
    const auto printed = run({EPOCHCAST_BINARY_DIR "/epochcast-analyze", "table", table,
                              record_path("p", "cuda"), "--format=csv"},
                             "analyze");
    EXPECT_THAT(printed.out, HasSubstr("simulated CUDA device")) << printed.err;
  }
}

TEST_F(SimulatedGpu, IsSampledThroughTheLibraryOfTheDriver) {
  train("cuda", small_wide_resnet, "p", 3, {"--telemetry=20ms"});
  const auto samples = record("p", "cuda").telemetry_gpus;
  ASSERT_FALSE(samples.empty());
  EXPECT_EQ(samples.back().uuid.view(), "GPU-1111-aaaa");
  EXPECT_EQ(samples.back().power_w, 65.5);
  EXPECT_EQ(samples.back().other_processes, 0) << "it knows its own";
}

TEST_F(SimulatedGpu, ThatIsNotThereIsOneLine) {
  const auto result = run(on("cuda", small_mlp, "p", 1), "job", {{"CUDA_VISIBLE_DEVICES", "-1"}});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("error: device cuda: no GPU that CUDA can use"));
  EXPECT_EQ(record("p", "job").header.outcome.view(), "failed");
}

TEST_F(SimulatedGpu, WithoutMemoryClosesTheRecordWithTheCause) {
  const auto result =
      run(on("cuda", small_wide_resnet, "p", 1), "job", {{"SIMULATED_CUDA_BYTES", "3000000"}});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("error: out of memory on the device: CUDA out of memory."));
  const auto header = record("p", "job").header;
  EXPECT_EQ(header.outcome.view(), "failed");
  EXPECT_EQ(header.cause.view(), "out_of_memory");
}

TEST_F(SimulatedGpu, IsProfiled) {
  const auto result = train("cuda", small_distilbert, "p", 3,
                            {"--profile=2", "--profile_flops=true", "--profile_shapes=true",
                             "--profile_trace=" + (folder / "trace.json").string()});
  const auto written = record("p", "cuda");
  const auto product = std::ranges::find(written.operators, "aten::addmm",
                                         [](const auto& row) { return row.name.view(); });
  ASSERT_NE(product, written.operators.end()) << result.err;
  EXPECT_GT(product->flops, 0);
  EXPECT_FALSE(written.operator_shapes.empty());
}

TEST_F(SimulatedGpu, GivesPicturesScoresAndTheBestWeights) {
  train("cuda", small_dcgan, "pictures", 1, {"--sample_every=1"});
  const auto scored = train("cuda", small_mlp, "scores", 2,
                            {"--dataset.samples=40", "--dataset.held_out=8", "--accumulate=2",
                             "--clip_norm=1", "--optimizer=novograd"});
  EXPECT_THAT(metrics_of(record("scores", "cuda")), testing::Contains("val_accuracy"))
      << scored.err;
}

TEST_F(SimulatedGpu, IsMeasured) {
  const auto file = folder / "device.yaml";
  const auto result =
      run({program(), "measure-device", "--device=cuda", "--budget=200ms", "-o", file}, "job");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(bytes_of(file), HasSubstr("simulated CUDA device"));
}

}  // namespace
}  // namespace epochcast
