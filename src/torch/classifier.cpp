#include "src/torch/classifier.hpp"

#include <algorithm>

#include "src/torch/layout.hpp"

namespace epochcast {
namespace {

using torch::Tensor;

std::int64_t count_on_host(const Tensor& logits, const Tensor& labels) {
  const auto rows = logits.accessor<float, 2>();
  const auto wanted = labels.accessor<std::int64_t, 1>();
  std::int64_t correct = 0;
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    const auto* first = rows[row].data();
    correct += std::max_element(first, first + rows.size(1)) - first == wanted[row] ? 1 : 0;
  }
  return correct;
}

/// On the host in a loop: three operators over a hundred rows would take a tenth of the smallest
/// net's step.
Tensor count_correct(const Tensor& logits, const Tensor& labels) {
  if (logits.is_cpu() && logits.is_contiguous() && logits.scalar_type() == torch::kFloat) {
    return torch::scalar_tensor(count_on_host(logits, labels), torch::kLong);
  }
  return (logits.argmax(1) == labels).sum();
}

class Classifier : public Network {
 public:
  Classifier(ClassifierNet net, const NetworkContext& context)
      : net_(std::move(net.module)),
        logits_(std::move(net.logits)),
        fast_(context.procedure == Procedure::fast) {
    net_->to(context.device);
    if (fast_) {
      use_channels_last(*net_);
    }
    replica_ = context.replicas->join(*net_);
    optimizer_ = make_optimizer(context.optimizer, context.procedure, named_parameters_of(*net_));
  }

  std::vector<Tensor> step(const Samples& batch) override {
    replica_->before_forward();
    const auto logits = logits_(laid_out(batch));
    const auto loss = torch::cross_entropy_loss(logits, batch.labels, {}, at::Reduction::Sum);
    optimizer_->zero_grad();
    replica_->before_backward({loss});
    torch::autograd::backward({loss}, {mean_gradient(loss, batch.inputs.size(0))});
    optimizer_->step();
    const torch::NoGradGuard no_grad;
    return {loss, count_correct(logits, batch.labels)};
  }
  std::vector<std::string> loss_names() const override { return {"loss", "accuracy"}; }

  std::vector<Tensor> score(const Samples& batch) override {
    const auto logits = infer(batch);
    return {torch::cross_entropy_loss(logits, batch.labels, {}, at::Reduction::Sum),
            count_correct(logits, batch.labels)};
  }
  std::vector<std::string> score_names() const override { return {"val_loss", "val_accuracy"}; }

  Tensor infer(const Samples& batch) override {
    const torch::NoGradGuard no_grad;
    net_->eval();
    const auto logits = logits_(laid_out(batch));
    net_->train();
    return logits;
  }

  NamedTensors parameters() const override { return named_parameters_of(*net_); }
  std::vector<Optimizer*> optimizers() override { return {optimizer_.get()}; }

  NamedTensors weights() const override {
    auto all = parameters();
    append_named(all, "", net_->named_buffers());
    return all;
  }

  NamedTensors state() const override {
    auto all = weights();
    const auto moments = optimizer_->state("optimizer.");
    all.insert(all.end(), moments.begin(), moments.end());
    return all;
  }

 private:
  /// The backward pass is of the mean, and the sum is what gets reported: the mean's gradient with
  /// regard to the sum, 1 / samples, makes one of the other for no operator more.
  const Tensor& mean_gradient(const Tensor& sum, std::int64_t samples) {
    if (samples != mean_samples_) {
      mean_samples_ = samples;
      mean_gradient_ = torch::full({}, 1.0 / double(samples), sum.options().requires_grad(false));
    }
    return mean_gradient_;
  }

  Samples laid_out(Samples batch) const {
    if (fast_ && batch.inputs.dim() == 4) {
      batch.inputs = batch.inputs.contiguous(at::MemoryFormat::ChannelsLast);
    }
    return batch;
  }

  std::shared_ptr<torch::nn::Module> net_;
  std::function<Tensor(const Samples&)> logits_;
  bool fast_;
  std::int64_t mean_samples_ = 0;
  Tensor mean_gradient_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace

std::unique_ptr<Network> make_classifier(ClassifierNet net, const NetworkContext& context) {
  return std::make_unique<Classifier>(std::move(net), context);
}

std::unique_ptr<Network> make_classifier(torch::nn::Sequential net, const NetworkContext& context) {
  const auto logits = [net](const Samples& batch) mutable { return net->forward(batch.inputs); };
  return make_classifier(ClassifierNet{net.ptr(), logits}, context);
}

}  // namespace epochcast
