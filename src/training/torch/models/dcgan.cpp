// The lab's DCGAN: Dive into Deep Learning, "Deep Convolutional Generative Adversarial Networks".
// Differs from the paper (Radford et al., 2016) in that the first discriminator block has a batch
// norm too, and that the initial normal(0, 0.02) goes over all parameters, the batch norms' gamma
// and beta included.
#include "src/training/torch/base/device.hpp"
#include "src/training/torch/base/layout.hpp"
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/kernels/convolution.hpp"
#include "src/training/torch/network/model.hpp"

namespace epochcast::libtorch::models {
namespace {

using torch::Tensor;
namespace nn = torch::nn;

constexpr double momentum = 0.1;
/// What two forwards of the same batch do to the running statistics: the fast step does one for the
/// lab's two.
constexpr double momentum_of_two = 1 - (1 - momentum) * (1 - momentum);
constexpr double leaky_slope = 0.2;
constexpr int pictures = 21;

/// Transposed convolution, batch norm, ReLU.
struct GeneratorBlockImpl : nn::Module {
  GeneratorBlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t padding,
                     Procedure how)
      : procedure(how),
        shape{.stride = stride, .padding = padding, .transposed = true},
        conv2d_trans(register_module("conv2d_trans",
                                     nn::ConvTranspose2d(nn::ConvTranspose2dOptions(in, out, 4)
                                                             .stride(stride)
                                                             .padding(padding)
                                                             .bias(false)))),
        batch_norm(register_module(
            "batch_norm", nn::BatchNorm2d(nn::BatchNorm2dOptions(out).momentum(
                              how == Procedure::optimized ? momentum_of_two : momentum)))) {}

  Tensor forward(const Tensor& x) {
    if (procedure == Procedure::reference) {
      return batch_norm->forward(conv2d_trans->forward(x)).relu();
    }
    batch_norm->num_batches_tracked.add_(1);
    return batch_norm->forward(convolve(x, conv2d_trans->weight, shape)).relu_();
  }

  Procedure procedure;
  ConvolutionShape shape;
  nn::ConvTranspose2d conv2d_trans;
  nn::BatchNorm2d batch_norm;
};
TORCH_MODULE(GeneratorBlock);

/// The generator's last convolution.
struct PictureLayerImpl : nn::Module {
  PictureLayerImpl(std::int64_t width, Procedure how)
      : procedure(how),
        weight(
            register_parameter("weight", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(width, 3, 4)
                                                                 .stride(shape.stride)
                                                                 .padding(shape.padding)
                                                                 .bias(false))
                                             ->weight)) {}

  Tensor forward(const Tensor& x) {
    return procedure == Procedure::reference
               ? torch::conv_transpose2d(x, weight, {}, shape.stride, shape.padding)
               : convolve(x, weight, shape);
  }

  static constexpr ConvolutionShape shape{.stride = 2, .padding = 1, .transposed = true};
  Procedure procedure;
  Tensor weight;
};
TORCH_MODULE(PictureLayer);

/// Convolution, batch norm, leaky ReLU; halves the picture.
struct DiscriminatorBlockImpl : nn::Module {
  DiscriminatorBlockImpl(std::int64_t in, std::int64_t out, Procedure how)
      : procedure(how),
        conv2d(register_module(
            "conv2d", nn::Conv2d(nn::Conv2dOptions(in, out, 4).stride(2).padding(1).bias(false)))),
        batch_norm(register_module(
            "batch_norm", nn::BatchNorm2d(nn::BatchNorm2dOptions(out).momentum(momentum)))) {}

  Tensor forward(const Tensor& x) {
    if (procedure == Procedure::reference) {
      return torch::leaky_relu(batch_norm->forward(conv2d->forward(x)), leaky_slope);
    }
    auto normalized = batch_norm->forward(convolve(x, conv2d->weight, {.stride = 2, .padding = 1}));
    return torch::leaky_relu_(normalized, leaky_slope);
  }

  Procedure procedure;
  nn::Conv2d conv2d;
  nn::BatchNorm2d batch_norm;
};
TORCH_MODULE(DiscriminatorBlock);

nn::Sequential make_generator(std::int64_t latent, std::int64_t width, Procedure procedure) {
  return nn::Sequential(GeneratorBlock(latent, 8 * width, 1, 0, procedure),
                        GeneratorBlock(8 * width, 4 * width, 2, 1, procedure),
                        GeneratorBlock(4 * width, 2 * width, 2, 1, procedure),
                        GeneratorBlock(2 * width, width, 2, 1, procedure),
                        PictureLayer(width, procedure), nn::Tanh());
}

nn::Sequential make_discriminator(std::int64_t width, Procedure procedure) {
  return nn::Sequential(DiscriminatorBlock(3, width, procedure),
                        DiscriminatorBlock(width, 2 * width, procedure),
                        DiscriminatorBlock(2 * width, 4 * width, procedure),
                        DiscriminatorBlock(4 * width, 8 * width, procedure),
                        nn::Conv2d(nn::Conv2dOptions(8 * width, 1, 4).bias(false)));
}

/// Draws the weights, on the host so that a seed means the same ones on every device, and moves the
/// net there.
nn::Sequential placed(nn::Sequential net, const NetworkContext& context) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : net->parameters()) {
    parameter.normal_(0, 0.02);
  }
  net->to(context.device);
  if (context.procedure == Procedure::optimized &&
      prefers_channels_last(context.precision, context.device)) {
    use_channels_last(*net);
  }
  return net;
}

/// Summed, not averaged: the lab's choice.
Tensor loss_against(const Tensor& logits, double target) {
  return torch::binary_cross_entropy_with_logits(logits, torch::full_like(logits, target), {}, {},
                                                 at::Reduction::Sum);
}

/// One of the two networks with what updates it.
struct Player {
  Player(nn::Sequential placed, const NetworkContext& context)
      : net(std::move(placed)),
        replica(context.replicas->join(*net)),
        optimizer(make_optimizer(context.optimizer, context.procedure, named_parameters_of(*net))) {
  }

  nn::Sequential net;
  std::unique_ptr<Replica> replica;
  std::unique_ptr<Optimizer> optimizer;
};

class Dcgan : public Network {
 public:
  explicit Dcgan(const NetworkContext& context)
      : context_(context),
        latent_(option<std::int64_t>(context.options, "latent")),
        discriminator_(placed(make_discriminator(width(), context.procedure), context), context),
        generator_(placed(make_generator(latent_, width(), context.procedure), context), context) {}

  std::vector<Tensor> step(const Samples& batch, const train::BatchRole& /*role*/) override {
    const auto z = batch.noise.defined() ? batch.noise : draw_noise(batch.inputs.size(0));
    return context_.procedure == Procedure::reference ? step_lab(batch.inputs, z)
                                                      : step_fast(batch.inputs, z);
  }
  std::vector<std::string> loss_names() const override { return {"loss_d", "loss_g"}; }

  /// On the host, as the lab does, whatever the device.
  Tensor draw_noise(std::int64_t samples) const override {
    return to_device(torch::normal(0, 1, {samples, latent_, 1, 1}), context_.device,
                     context_.procedure);
  }

  Tensor infer(const Samples& batch) override {
    const torch::NoGradGuard no_grad;
    discriminator_.net->eval();
    const auto logits = discriminator_.net->forward(batch.inputs);
    discriminator_.net->train();
    return logits;
  }

  NamedTensors parameters() const override {
    NamedTensors all;
    append_named(all, "net_G.", generator_.net->named_parameters());
    append_named(all, "net_D.", discriminator_.net->named_parameters());
    return all;
  }

  std::vector<Optimizer*> optimizers() override {
    return {discriminator_.optimizer.get(), generator_.optimizer.get()};
  }

  NamedTensors weights() const override {
    auto all = parameters();
    append_named(all, "net_G.", generator_.net->named_buffers());
    append_named(all, "net_D.", discriminator_.net->named_buffers());
    return all;
  }

  NamedTensors state() const override {
    auto all = weights();
    for (auto&& tensors :
         {generator_.optimizer->state("adam_G."), discriminator_.optimizer->state("adam_D.")}) {
      all.insert(all.end(), tensors.begin(), tensors.end());
    }
    return all;
  }

  Tensor sample(const torch::Generator& random) override;

 private:
  Tensor laid_out(const Tensor& pictures) const {
    return prefers_channels_last(context_.precision, context_.device)
               ? pictures.contiguous(at::MemoryFormat::ChannelsLast)
               : pictures;
  }
  std::int64_t width() const { return option<std::int64_t>(context_.options, "width"); }
  std::vector<Tensor> step_lab(const Tensor& real, const Tensor& z);
  std::vector<Tensor> step_fast(const Tensor& real, const Tensor& z);

  NetworkContext context_;
  std::int64_t latent_;
  Player discriminator_;
  Player generator_;
};

/// The published order of work: the generator's forward is done twice on the same noise, and its
/// update also fills the discriminator's gradients, which the next zero_grad drops.
std::vector<Tensor> Dcgan::step_lab(const Tensor& real, const Tensor& z) {
  auto& [net_d, replica_d, optimizer_d] = discriminator_;
  auto& [net_g, replica_g, optimizer_g] = generator_;
  optimizer_d->zero_grad();
  replica_d->before_forward();
  const auto real_logits = net_d->forward(real);
  const auto fake_logits = net_d->forward(net_g->forward(z).detach());
  const auto loss_d = (loss_against(real_logits, 1) + loss_against(fake_logits, 0)) / 2;
  replica_d->before_backward();
  loss_d.backward();
  optimizer_d->step();

  optimizer_g->zero_grad();
  replica_g->before_forward();
  const auto loss_g = loss_against(net_d->forward(net_g->forward(z)), 1);
  replica_g->before_backward();
  loss_g.backward();
  optimizer_g->step();
  return {loss_d.detach(), loss_g.detach()};
}

/// One generator forward serves both updates, since the generator changes only at the end. Backward
/// follows each discriminator forward at once, so that one pass's activations are in memory at a
/// time.
std::vector<Tensor> Dcgan::step_fast(const Tensor& real, const Tensor& z) {
  auto& [net_d, replica_d, optimizer_d] = discriminator_;
  auto& [net_g, replica_g, optimizer_g] = generator_;
  replica_g->before_forward();
  const auto fake = net_g->forward(z);

  optimizer_d->zero_grad();
  replica_d->before_forward();
  const auto loss_real = loss_against(net_d->forward(laid_out(real)), 1) / 2;
  loss_real.backward();
  const auto loss_fake = loss_against(net_d->forward(fake.detach()), 0) / 2;
  replica_d->before_backward();
  loss_fake.backward();
  optimizer_d->step();

  optimizer_g->zero_grad();
  const auto loss_g = loss_against(net_d->forward(fake), 1);
  replica_g->before_backward();
  torch::autograd::backward({loss_g}, {}, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                            optimizer_g->parameters());
  optimizer_g->step();
  return {(loss_real + loss_fake).detach(), loss_g.detach()};
}

/// In train mode, as the lab samples; the batch norms' running statistics are put back.
Tensor Dcgan::sample(const torch::Generator& random) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> before;
  auto& net = generator_.net;
  for (const auto& buffer : net->buffers()) {
    before.push_back(buffer.clone());
  }
  const auto z = torch::randn({pictures, latent_, 1, 1}, random).to(context_.device);
  const auto images = net->forward(z);
  for (std::size_t i = 0; auto& buffer : net->buffers()) {
    buffer.copy_(before[i++]);
  }
  return images;
}

}  // namespace

ModelSpec dcgan() {
  return {
      .summary = "The DCGAN of the lab: generator and discriminator of 64x64 images",
      .options = {{"latent", "integer", "100", "1", "Numbers of noise that make one picture",
                   ">=1"},
                  {"width", "integer", "64", "1",
                   "Channels of the widest pictures; deeper layers have 2, 4 and 8 times as many",
                   ">=1"}},
      .input = [](const run::OptionValues&) -> SampleSpec {
        return {.shape = {3, 64, 64}};
      },
      .optimizer = {"adam", {{"learning_rate", "0.005"}, {"beta1", "0.5"}}},
      .make = [](const NetworkContext& context) { return std::make_unique<Dcgan>(context); }};
}

}  // namespace epochcast::libtorch::models
