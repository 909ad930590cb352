// Stop and resume on the simulated device, between it and the CPU.
#include <gmock/gmock.h>

#include "tests/gpu/simulated_gpu.hpp"

namespace epochcast {
namespace {

class SimulatedResume : public SimulatedGpu {
 protected:
  /// The losses of a run on `first` up to a step within its second epoch, continued on `second`.
  record::Record interrupted(const std::string& first, const std::string& second,
                             const SmallModel& model) const {
    train(first, model, "p", 3, {"--max_iterations=5"});
    const auto result = run(on(second, model, "p", 3, {"--resume=true"}), "second");
    EXPECT_EQ(result.status, 0) << result.err;
    const auto resumed = record("p", "second");
    EXPECT_EQ(resumed.header.resumed_from.view(), "p-" + first + ".h5");
    EXPECT_EQ(resumed.iterations.size(), 4u);
    auto both = resumed;
    const auto before = record("p", first);
    both.metrics.insert(both.metrics.end(), before.metrics.begin(), before.metrics.end());
    return both;
  }
};

TEST_F(SimulatedResume, WithRandomNumbersOfTheDeviceGivesTheNumbersOfAWholeRun) {
  auto model = small_distilbert;
  model.options.insert(model.options.end(), {"--model.dropout=0.1", "--model.head_dropout=0.2"});
  train("cuda", model, "whole", 3);
  EXPECT_EQ(all_losses(interrupted("cuda", "cuda", model)), all_losses(record("whole", "cuda")));
}

TEST_F(SimulatedResume, GoesFromTheDeviceToTheCpuAndBack) {
  train("cpu", small_wide_resnet, "whole", 3);
  for (const auto& [first, second] : {std::pair{"cuda", "cpu"}, {"cpu", "cuda"}}) {
    expect_near(interrupted(first, second, small_wide_resnet), record("whole", "cpu"), 1e-5);
    std::filesystem::remove_all(folder / "work/p");
    std::filesystem::remove_all(folder / "records/p-second.h5");
    std::filesystem::remove_all(folder / "records/p-second.jsonl");
  }
}

}  // namespace
}  // namespace epochcast
