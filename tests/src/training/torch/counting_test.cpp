#include "src/training/torch/profile/counting.hpp"

#include <gtest/gtest.h>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {
namespace {

/// A GPU chooses one of three kernels, each an operator of its own; the inputs that count stand
/// first in all of them.
TEST(Counting, AttentionOfAGpuCountsAsThatOfTheCpu) {
  const auto tensor = torch::zeros({2, 3, 5, 4});
  const std::vector<c10::IValue> inputs{tensor, tensor, tensor, tensor};
  for (const std::string name : {"flash", "efficient", "cudnn"}) {
    for (const std::string pass : {"", "_backward"}) {
      const auto flops = [&](const std::string& own) {
        return count_call("aten::_scaled_dot_product_" + own + pass, inputs, inputs).flops;
      };
      const auto of_cpu = flops("flash_attention_for_cpu");
      EXPECT_EQ(of_cpu, (pass.empty() ? 2 : 5) * 2.0 * 2 * 3 * 5 * 5 * 4);
      EXPECT_EQ(flops(name + "_attention"), of_cpu);
    }
  }
}

TEST(Counting, NamesAreThoseOfThisLibTorch) {
  for (const std::string name : {"flash", "efficient", "cudnn"}) {
    for (const std::string pass : {"", "_backward"}) {
      const auto full = "aten::_scaled_dot_product_" + name + "_attention" + pass;
      EXPECT_TRUE(has_counted_flops(full)) << full;
      EXPECT_TRUE(c10::Dispatcher::singleton().findSchema({full, ""})) << full;
    }
  }
}

}  // namespace
}  // namespace epochcast::libtorch
