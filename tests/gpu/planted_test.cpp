// Mistakes that a GPU would punish, planted one by one: the simulated device notices each.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <csignal>
#include <cstdlib>

namespace epochcast {
namespace {

class PlantedMistake : public testing::Test {
 protected:
  void SetUp() override {
    setenv("SIMULATED_CUDA_LATENCY_MS", "500", 1);
    ASSERT_NE(dlopen(EPOCHCAST_SIMULATED_CUDA_LIBRARY, RTLD_NOW | RTLD_GLOBAL), nullptr)
        << dlerror();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  torch::Device gpu = torch::kCUDA;
  torch::Tensor ones(at::IntArrayRef size) const { return torch::ones(size, gpu); }
};

TEST_F(PlantedMistake, AccessorOfATensorOfTheDevice) {
  const auto x = ones({2, 2});
  EXPECT_EXIT(std::exit(int(x.accessor<float, 2>()[0][0])), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(PlantedMistake, ReadOfItsAddress) {
  const auto x = ones({2});
  EXPECT_EXIT(std::exit(int(*x.const_data_ptr<float>())), testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(PlantedMistake, MatrixLeftOnTheHost) {
  EXPECT_THROW(torch::ones({2, 2}).mm(ones({2, 2})), c10::Error);
}

TEST_F(PlantedMistake, VectorLeftOnTheHost) {
  EXPECT_THROW(ones({2}) + torch::ones({2}), c10::Error);
}

TEST_F(PlantedMistake, LabelsLeftOnTheHost) {
  EXPECT_THROW(torch::cross_entropy_loss(ones({4, 3}), torch::zeros({4}, torch::kLong)),
               c10::Error);
}

TEST_F(PlantedMistake, WeightsLeftOnTheHost) {
  EXPECT_THROW(torch::conv2d(ones({1, 3, 8, 8}), torch::ones({4, 3, 3, 3})), c10::Error);
}

TEST_F(PlantedMistake, TokensLeftOnTheHost) {
  EXPECT_THROW(torch::embedding(ones({5, 3}), torch::zeros({2}, torch::kLong)), c10::Error);
}

TEST_F(PlantedMistake, StepCounterOfAdamLeftOnTheHost) {
  auto parameter = ones({2});
  EXPECT_THROW(at::_fused_adamw_({parameter}, {ones({2})}, {ones({2})}, {ones({2})}, {},
                                 {torch::ones({})}, 1e-3, .9, .99, 0, 1e-8, false, false),
               c10::Error);
}

TEST_F(PlantedMistake, MemoryThatNobodyWrote) {
  EXPECT_TRUE(torch::empty({3}, gpu).isnan().all().item<bool>());
}

TEST_F(PlantedMistake, TimeOfAnEventThatHasNotPassed) {
  c10::Event first(torch::kCUDA, c10::EventFlag::BACKEND_DEFAULT);
  c10::Event second(torch::kCUDA, c10::EventFlag::BACKEND_DEFAULT);
  const c10::Stream stream(c10::Stream::DEFAULT, {torch::kCUDA, 0});
  first.record(stream);
  second.record(stream);
  EXPECT_FALSE(second.query());
  EXPECT_THROW(first.elapsedTime(second), c10::Error);
  torch::cuda::synchronize();
  EXPECT_TRUE(second.query());
}

}  // namespace
}  // namespace epochcast
