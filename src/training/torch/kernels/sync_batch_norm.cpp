#include "src/training/torch/kernels/sync_batch_norm.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using Tensors = torch::autograd::variable_list;

/// Statistics of every channel, over all processes.
struct Moments {
  Tensor mean;
  Tensor variance;  ///< Biased.
  Tensor samples;   ///< Values per channel.
};

constexpr std::array<std::int64_t, 3> all_but_channels{0, 2, 3};

/// Reshapes one value per channel for operations with (N, C, H, W).
Tensor a_channel(const Tensor& values) {
  return values.view({1, -1, 1, 1});
}

/// Computes in double precision, because a variance from sums is a small difference of large
/// numbers.
Moments moments_of_all(const Tensor& x, Replicas& replicas) {
  const auto channels = x.size(1);
  const auto [variance, mean] = torch::var_mean(x, all_but_channels, /*unbiased=*/false);
  const double samples = double(x.numel() / channels);
  const auto mean64 = mean.to(torch::kDouble);
  auto sums =
      torch::cat({mean64, variance.to(torch::kDouble) + mean64.square(), mean64.new_ones({1})})
          .mul_(samples);
  replicas.all_reduce(sums);
  const auto total = sums.narrow(0, 2 * channels, 1);
  const auto mean_of_all = sums.narrow(0, 0, channels) / total;
  const auto variance_of_all =
      (sums.narrow(0, channels, channels) / total - mean_of_all.square()).clamp_min_(0);
  return {mean_of_all.to(x.scalar_type()), variance_of_all.to(x.scalar_type()),
          total.to(x.scalar_type())};
}

/// Ioffe and Szegedy, "Batch Normalization", 2015: the gradient of x is (w / s) (dy - mean(dy) - z
/// mean(dy z)) with z = (x - mean) / s. Here both means are over all processes.
struct Normalise : torch::autograd::Function<Normalise> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias, const Moments& moments, double eps,
                        Replicas* replicas) {
    context->save_for_backward(
        {x, weight, moments.mean, (moments.variance + eps).rsqrt_(), moments.samples});
    context->saved_data["replicas"] =
        reinterpret_cast<std::int64_t>(replicas);  // pointers cannot be saved directly
    return std::get<0>(at::native_batch_norm(x, weight, bias, moments.mean, moments.variance,
                                             /*training=*/false,
                                             /*momentum=*/0, eps));
  }

  static Tensors backward(AutogradContext* context, const Tensors& gradients) {
    const auto saved = context->get_saved_variables();
    const auto& [x, weight, mean, inverse, samples] =
        std::tie(saved[0], saved[1], saved[2], saved[3], saved[4]);
    auto& replicas = *reinterpret_cast<Replicas*>(context->saved_data["replicas"].toInt());
    const auto& dy = gradients[0];
    const auto z = (x - a_channel(mean)).mul_(a_channel(inverse));
    const auto bias_gradient = dy.sum(all_but_channels);
    const auto weight_gradient = (dy * z).sum(all_but_channels);

    auto sums = torch::cat({bias_gradient, weight_gradient});
    replicas.all_reduce(sums);
    const auto means = (sums / samples).chunk(2);
    const auto dx =
        (dy - a_channel(means[0])).sub_(z * a_channel(means[1])).mul_(a_channel(weight * inverse));
    return {dx, weight_gradient, bias_gradient, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor SyncBatchNorm2dImpl::forward(const Tensor& input) {
  if (!is_training()) {
    return BatchNorm2dImpl::forward(input);
  }
  const auto x = input.to(weight.scalar_type());  // no statistics in autocast's half precision
  const auto moments = [&] {
    const torch::NoGradGuard no_grad;
    auto found = moments_of_all(x, *replicas_);
    const double momentum = options.momentum().value_or(0.1);
    const auto unbiased = found.variance * (found.samples / (found.samples - 1));
    running_mean.lerp_(found.mean, momentum);
    running_var.lerp_(unbiased, momentum);
    num_batches_tracked += 1;
    return found;
  }();
  return Normalise::apply(x, weight, bias, moments, options.eps(), replicas_);
}

}  // namespace epochcast::libtorch
