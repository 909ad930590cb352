#include "src/training/torch/kernels/sync_batch_norm.hpp"

#include <gtest/gtest.h>

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

/// What a layer makes of `x` and of the gradient `dy`.
template <class Layer>
std::vector<Tensor> results_of(Layer& layer, const Tensor& x, const Tensor& dy) {
  const auto input = x.detach().clone().requires_grad_();
  const auto output = layer->forward(input);
  output.backward(dy);
  return {output.detach(),
          input.grad(),
          layer->weight.grad(),
          layer->bias.grad(),
          layer->running_mean,
          layer->running_var,
          layer->num_batches_tracked,
          (layer->eval(), layer->forward(x).detach())};
}

/// One of two processes: adds what the other is said to send, call by call, and keeps what this one
/// sends.
class Partner : public Replicas {
 public:
  explicit Partner(const std::vector<Tensor>& others) : others_(others) {}
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 2; }
  std::int64_t size_on_node() const override { return 2; }
  std::unique_ptr<Replica> join(torch::nn::Module& network) override {
    return alone().join(network);
  }
  void all_reduce(Tensor& values) override {
    sent.push_back(values.clone());
    if (!others_.empty()) {
      values += others_.front();
      others_.erase(others_.begin());
    }
  }

  std::vector<Tensor> sent;

 private:
  std::vector<Tensor> others_;
};

torch::nn::BatchNorm2dOptions five_channels() {
  return torch::nn::BatchNorm2dOptions(5);
}

void expect_same_up_to_rounding(const std::vector<Tensor>& found,
                                const std::vector<Tensor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-5, 1e-6)) << "number " << i;
  }
}

struct SyncBatchNormTest : testing::Test {
  void SetUp() override {
    torch::manual_seed(1);
    x = torch::randn({6, 5, 4, 3}) * 3 + 2;
    dy = torch::randn_like(x);
    torch::NoGradGuard no_grad;
    plain->weight.uniform_(0.5, 2);
    plain->bias.uniform_(-1, 1);
  }
  SyncBatchNorm2d synchronised(Replicas& replicas) const {
    SyncBatchNorm2d layer(five_channels(), replicas);
    torch::NoGradGuard no_grad;
    layer->weight.copy_(plain->weight);
    layer->bias.copy_(plain->bias);
    return layer;
  }

  Tensor moments_sent_by(const Tensor& half) const {
    Partner nobody({});
    synchronised(nobody)->forward(half);
    return nobody.sent.front();
  }

  torch::nn::BatchNorm2d plain{five_channels()};
  Tensor x;
  Tensor dy;
};

TEST_F(SyncBatchNormTest, OfOneProcessIsBatchNorm) {
  auto layer = synchronised(alone());
  expect_same_up_to_rounding(results_of(layer, x, dy), results_of(plain, x, dy));
}

TEST_F(SyncBatchNormTest, OfTwoProcessesIsBatchNormOfBothBatches) {
  const auto halves = x.split({2, 4});
  const auto gradients = dy.split({2, 4});
  // What a process sends forward depends on its own half only, what it sends backward on the
  // moments of both.
  Partner to_second({moments_sent_by(halves[0])});
  auto second = synchronised(to_second);
  second->forward(halves[1].clone().requires_grad_()).backward(gradients[1]);

  Partner to_first(to_second.sent);
  auto first = synchronised(to_first);
  const auto found = results_of(first, halves[0], gradients[0]);

  const auto expected = results_of(plain, x, dy);
  expect_same_up_to_rounding(
      {found[0], found[1], found[4], found[5]},
      {expected[0].slice(0, 0, 2), expected[1].slice(0, 0, 2), expected[4], expected[5]});
  expect_same_up_to_rounding({found[2] + second->weight.grad(), found[3] + second->bias.grad()},
                             {expected[2], expected[3]});
}

}  // namespace
}  // namespace epochcast::libtorch
