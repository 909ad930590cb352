#include "src/torch/classifier.hpp"

#include "src/torch/layout.hpp"

namespace epochcast {
namespace {

using torch::Tensor;

Tensor count_correct(const Tensor& logits, const Tensor& labels) {
  return (logits.argmax(1) == labels).sum();
}

class Classifier : public Network {
 public:
  Classifier(torch::nn::Sequential net, const NetworkContext& context)
      : net_(std::move(net)), fast_(context.procedure == Procedure::fast) {
    net_->to(context.device);
    if (fast_) {
      use_channels_last(*net_);
    }
    replica_ = context.replicas->join(*net_);
    optimizer_ = make_optimizer(context.optimizer, context.procedure, net_->parameters());
  }

  std::vector<Tensor> step(const Samples& batch) override {
    replica_->before_forward();
    const auto logits = net_->forward(laid_out(batch.inputs));
    const auto loss = torch::cross_entropy_loss(logits, batch.labels);
    optimizer_->zero_grad();
    replica_->before_backward({loss});
    loss.backward();
    optimizer_->step();
    const torch::NoGradGuard no_grad;
    return {loss.detach() * batch.inputs.size(0), count_correct(logits, batch.labels)};
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
    const auto logits = net_->forward(laid_out(batch.inputs));
    net_->train();
    return logits;
  }

  NamedTensors parameters() const override {
    NamedTensors all;
    append_named(all, "", net_->named_parameters());
    return all;
  }
  std::vector<Optimizer*> optimizers() override { return {optimizer_.get()}; }

  NamedTensors state() const override {
    auto all = parameters();
    append_named(all, "", net_->named_buffers());
    const auto moments = optimizer_->state("optimizer.");
    all.insert(all.end(), moments.begin(), moments.end());
    return all;
  }

 private:
  Tensor laid_out(const Tensor& inputs) const {
    return fast_ && inputs.dim() == 4 ? inputs.contiguous(at::MemoryFormat::ChannelsLast) : inputs;
  }

  torch::nn::Sequential net_;
  bool fast_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace

std::unique_ptr<Network> make_classifier(torch::nn::Sequential net, const NetworkContext& context) {
  return std::make_unique<Classifier>(std::move(net), context);
}

}  // namespace epochcast
