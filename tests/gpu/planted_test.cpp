// Mistakes that a GPU would punish, planted one by one: the simulated device notices each.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <csignal>
#include <cstdlib>

#include "src/training/torch/base/cuda_library.hpp"

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

/// In a step that is captured as a CUDA graph.
class PlantedInStep : public PlantedMistake {
 protected:
  void SetUp() override {
    PlantedMistake::SetUp();
    const auto* library = static_cast<const libtorch::CudaLibrary*>(
        dlsym(dlopen(EPOCHCAST_SIMULATED_CUDA_LIBRARY, RTLD_NOW | RTLD_GLOBAL), "epochcast_cuda"));
    ASSERT_NE(library, nullptr);
    graph = library->make_graph(nullptr);
    value = torch::ones({}, gpu);
    rate = torch::full({}, 0.5, gpu);
  }

  void expect_refused(const std::function<void()>& step, const std::string& why) {
    try {
      graph->capture(step);
      ADD_FAILURE() << "captured";
    } catch (const c10::Error& error) {
      EXPECT_THAT(error.what_without_backtrace(), testing::HasSubstr(why));
    }
    EXPECT_EQ(value.item<float>(), 1) << "what the step did is undone";
  }

  std::unique_ptr<libtorch::StepGraph> graph;
  torch::Tensor value, rate;
};

TEST_F(PlantedInStep, NothingIsCapturedAndReplayed) {
  graph->capture([&] { value.sub_(rate.mul(2)).add_(3); });
  EXPECT_EQ(value.item<float>(), 1) << "a capture computes nothing";
  graph->replay();
  EXPECT_EQ(value.item<float>(), 3);
  rate.fill_(1);
  graph->replay();
  EXPECT_EQ(value.item<float>(), 4) << "a replay reads what is there now";
}

TEST_F(PlantedInStep, Waits) {
  expect_refused([&] { value.add_(1).item<float>(); }, "wait for the device");
  expect_refused([&] { value.add_(1).cpu(); }, "copy from or to the host");
  expect_refused([&] { torch::cuda::synchronize(); }, "wait for the device");
}

TEST_F(PlantedInStep, PinsMemoryAndCopiesFromTheHost) {
  expect_refused([&] { torch::ones({2}).pin_memory(); }, "pinned memory");
  expect_refused([&] { value.copy_(torch::ones({}), true); }, "copy from or to the host");
}

TEST_F(PlantedInStep, ReadsTheLearningRateOnTheHost) {
  const auto update = [&](const auto& learning_rate) {
    at::_fused_adamw_({value}, {rate}, {torch::zeros_like(value)}, {torch::zeros_like(value)}, {},
                      {torch::ones_like(value)}, learning_rate, .9, .99, 0, 1e-8, false, false);
  };
  expect_refused([&] { update(1e-3); }, "reads the learning rate on the host");
  expect_refused([&] { update(rate.item<double>()); }, "wait for the device");
  expect_refused([&] { value.sub_(torch::full({}, 1e-3)); }, "reads a tensor of the host");
  graph->capture([&] { update(rate); });
}

TEST_F(PlantedInStep, ReadsMemoryThatIsFreedLater) {
  auto gradient = ones({600});
  graph->capture([&] { value.add_(gradient.sum()); });
  gradient.reset();
  const auto others = torch::empty({600}, gpu);
  graph->replay();
  EXPECT_TRUE(value.isnan().item<bool>());
}

}  // namespace
}  // namespace epochcast
