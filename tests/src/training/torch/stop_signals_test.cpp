// A product of oneDNN moves the stack pointer into the heap (src/measure/attempt/signals.hpp): with
// a handler on the thread that computes, this test ends in "corrupted size vs. prev_size" or worse.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "src/measure/attempt/signals.hpp"
#include "src/training/torch/kernels/onednn.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

/// A layer for inputs of every number of rows; its weight's columns or rows are contiguous.
struct Layer {
  Tensor weight;
  Tensor bias;
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;

  explicit Layer(const Tensor& outputs_by_inputs)
      : weight(outputs_by_inputs), bias(torch::randn({weight.size(0)})) {
    for (std::int64_t rows = 1; rows < 100; rows += rows < 10 ? 1 : 30) {
      inputs.push_back(torch::randn({rows, weight.size(1)}));
      expected.push_back(onednn::linear(inputs.back(), weight, bias));
    }
  }

  /// How many products are not what they were.
  int wrong() const {
    int count = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      count += torch::equal(onednn::linear(inputs[i], weight, bias), expected[i]) ? 0 : 1;
    }
    return count;
  }
};

TEST(StopSignals, ComeBetweenTheProductsOfOneDnnOrNotAtAll) {
  if (!onednn::is_possible()) {
    GTEST_SKIP() << "this LibTorch has no oneDNN";
  }
  const auto& stop = attempt::install_stop_signals();
  torch::set_num_threads(1);
  const std::vector<Layer> layers{Layer(torch::randn({256, 256})),
                                  Layer(torch::randn({256, 256}).t()),
                                  Layer(torch::randn({256, 512}).t())};
  std::atomic<bool> through = false;
  std::thread sender([&] {
    while (!through) {
      kill(getpid(), SIGTERM);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  int wrong = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (const auto& layer : layers) {
      wrong += layer.wrong();
    }
  }
  through = true;
  sender.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(stop.signal(), SIGTERM);
}

}  // namespace
}  // namespace epochcast::libtorch
