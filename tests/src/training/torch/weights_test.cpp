// Files of weights that are large beside the memory of the process.
#include "src/training/torch/network/weights.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/files.hpp"

namespace epochcast::libtorch {
namespace {

/// The row `name` of /proc/self/status, in MiB.
double memory_mib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) {
      return std::stod(line.substr(name.size() + 1)) / 1024;
    }
  }
  ADD_FAILURE() << name;
  return 0;
}

/// Sets the peak to what is in memory now; false where the kernel does not allow it.
bool reset_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  return clear.good();
}

TEST(LoadWeights, NeverHasAllOfALargeTensorInMemoryTwice) {
  const TemporaryFolder folder;
  constexpr std::int64_t rows = 32 * 1024;
  const auto written =
      torch::arange(rows, torch::kFloat).unsqueeze(1).expand({rows, 1024}).contiguous();  // 128 MiB
  save_weights(folder / "large.safetensors", {{"large", written}});
  const auto read = torch::zeros({rows, 1024}).add_(1);  // every page is there
  if (!reset_peak()) {
    GTEST_SKIP() << "the kernel does not allow to reset the peak of the memory";
  }
  const double before_mib = memory_mib("VmRSS");
  load_weights(folder / "large.safetensors", {{"large", read}}, {});
  EXPECT_LT(memory_mib("VmHWM") - before_mib, 32);
  EXPECT_TRUE(torch::equal(read, written));
}

TEST(LoadWeights, ReadsTensorsWhoseRowsAreNoWholeBlocks) {
  const TemporaryFolder folder;
  const auto wide = torch::randn({3, 1'500'000});  // a row is more than a block
  const auto uneven = torch::randn({7, 300'001});  // the last block is smaller
  const auto narrow = torch::randn({2'000'003}).to(torch::kHalf);
  const auto scalar = torch::scalar_tensor(2.5);
  const auto empty = torch::empty({0, 4});
  save_weights(folder / "all.safetensors", {{"wide", wide},
                                            {"uneven", uneven},
                                            {"narrow", narrow},
                                            {"scalar", scalar},
                                            {"empty", empty}});
  const NamedTensors read{{"wide", torch::empty_like(wide)},
                          {"uneven", torch::empty_like(uneven)},
                          {"narrow", torch::empty({2'000'003})},
                          {"scalar", torch::scalar_tensor(0)},
                          {"empty", torch::empty({0, 4})}};
  load_weights(folder / "all.safetensors", read, {});
  EXPECT_TRUE(torch::equal(read[0].second, wide));
  EXPECT_TRUE(torch::equal(read[1].second, uneven));
  EXPECT_TRUE(torch::equal(read[2].second, narrow.to(torch::kFloat)));
  EXPECT_EQ(read[3].second.item<float>(), 2.5);
}

}  // namespace
}  // namespace epochcast::libtorch
