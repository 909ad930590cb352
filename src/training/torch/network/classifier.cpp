#include "src/training/torch/network/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/training/torch/base/layout.hpp"
#include "src/training/torch/kernels/cross_entropy.hpp"
#include "src/training/torch/kernels/onednn.hpp"
#include "src/training/torch/kernels/prepare_for_inference.hpp"
#include "src/training/torch/network/confusion.hpp"
#include "src/training/torch/network/updater.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

std::int64_t count_on_host(const Tensor& logits, const Tensor& labels) {
  const auto rows = logits.accessor<float, 2>();
  const auto wanted = labels.accessor<std::int64_t, 1>();
  std::int64_t correct = 0;
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    const auto* first = rows[row].data();
    const auto* last = first + rows.size(1);
    const bool is_finite = std::all_of(first, last, [](float x) { return std::isfinite(x); });
    correct += is_finite && std::max_element(first, last) - first == wanted[row] ? 1 : 0;
  }
  return correct;
}

/// Counts in a loop on the host: with a hundred rows, LibTorch's operators would take a tenth of a
/// step of the smallest network.
Tensor count_correct(const Tensor& logits, const Tensor& labels) {
  if (logits.is_cpu() && logits.is_contiguous() && logits.scalar_type() == torch::kFloat) {
    return torch::scalar_tensor(count_on_host(logits, labels), torch::kLong);
  }
  // Five kernels; classes_of(), which also knows a row by an infinite logit that is not its
  // largest, takes twice as many.
  const auto [largest, answers] = logits.max(1);
  return ((answers == labels) & (largest < std::numeric_limits<float>::infinity())).sum();
}

class Classifier : public Network {
 public:
  Classifier(ClassifierNet net, const NetworkContext& context)
      : net_(std::move(net.module)),
        logits_(std::move(net.logits)),
        procedure_(context.procedure),
        precision_(context.precision),
        device_(context.device),
        channels_last_(is_fast() && prefers_channels_last(precision_, device_)) {
    net_->to(context.device);
    if (channels_last_) {
      use_channels_last(*net_);
    }
    replica_ = context.replicas->join(*net_);
    updater_ = std::make_unique<Updater>(
        make_optimizer(context.optimizer, context.procedure, named_parameters_of(*net_)),
        context.clip_norm, precision_ == Precision::fp16);
  }

  /// The backward pass runs on the mean over samples and batches. The reported loss is the sum over
  /// samples. Scaling the gradient of the sum gives the gradient of the mean without another
  /// operator.
  std::vector<Tensor> step(const Samples& batch, const train::BatchRole& role) override {
    replica_->before_forward();
    const auto logits = forward(batch);
    const auto loss = summed_cross_entropy(logits, batch.labels, procedure_);
    if (role.first) {
      updater_->optimizer().zero_grad();
    }
    if (role.last) {
      replica_->before_backward();
    }
    const double weight = 1 / double(batch.inputs.size(0) * role.batches);
    torch::autograd::backward({loss}, {updater_->gradient_of_loss(loss, weight)});
    if (role.last) {
      updater_->update();
    }
    const torch::NoGradGuard no_grad;
    return {loss, count_correct(logits, batch.labels)};
  }
  std::vector<std::string> loss_names() const override { return {"loss", "accuracy"}; }

  Answers score(const Samples& batch) override {
    const auto logits = infer(batch);
    return {torch::cross_entropy_loss(logits, batch.labels, {}, at::Reduction::Sum),
            classes_of(logits)};
  }

  Tensor infer(const Samples& batch) override {
    const c10::InferenceMode no_gradients;
    const bool trains = net_->is_training();
    if (trains) {
      net_->eval();
    }
    const auto logits = forward(batch);
    if (trains) {
      net_->train();
    }
    return logits;
  }

  void prepare_for_inference() override {
    const c10::InferenceMode no_gradients;
    net_->eval();
    if (is_fast() && device_.is_cpu() && precision_ == Precision::fp32 && onednn::is_possible()) {
      epochcast::libtorch::prepare_for_inference(*net_);
    }
  }

  NamedTensors parameters() const override { return named_parameters_of(*net_); }
  std::vector<Optimizer*> optimizers() override { return {&updater_->optimizer()}; }
  std::int64_t skipped_updates() const override { return updater_->skipped(); }

  NamedTensors weights() const override {
    auto all = parameters();
    append_named(all, "", net_->named_buffers());
    return all;
  }

  NamedTensors state() const override {
    auto all = weights();
    const auto updater = updater_->state();
    all.insert(all.end(), updater.begin(), updater.end());
    return all;
  }

 private:
  bool is_fast() const { return procedure_ == Procedure::optimized; }

  /// Returns the logits in single precision, never in half precision.
  Tensor forward(const Samples& batch) {
    const auto logits = [&] {
      const Autocast autocast(precision_, device_);
      return logits_(laid_out(batch));
    }();
    return precision_ == Precision::fp32 ? logits : logits.to(torch::kFloat);
  }

  Samples laid_out(Samples batch) const {
    if (channels_last_ && batch.inputs.dim() == 4) {
      batch.inputs = batch.inputs.contiguous(at::MemoryFormat::ChannelsLast);
    }
    return batch;
  }

  std::shared_ptr<torch::nn::Module> net_;
  std::function<Tensor(const Samples&)> logits_;
  Procedure procedure_;
  Precision precision_;
  torch::Device device_;
  bool channels_last_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<Updater> updater_;
};

}  // namespace

std::unique_ptr<Network> make_classifier(ClassifierNet net, const NetworkContext& context) {
  return std::make_unique<Classifier>(std::move(net), context);
}

std::unique_ptr<Network> make_classifier(torch::nn::Sequential net, const NetworkContext& context) {
  const auto logits = [net](const Samples& batch) mutable { return net->forward(batch.inputs); };
  return make_classifier(ClassifierNet{net.ptr(), logits}, context);
}

}  // namespace epochcast::libtorch
