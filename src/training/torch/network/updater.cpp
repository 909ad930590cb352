#include "src/training/torch/network/updater.hpp"

namespace epochcast::libtorch {
namespace {

constexpr double first_factor = 65536;
constexpr double growth = 2;
constexpr double backoff = 0.5;
constexpr std::int64_t growth_interval = 2000;

}  // namespace

LossScale::LossScale(const torch::Device& device)
    : factor_(torch::full({}, first_factor, torch::device(device).dtype(torch::kFloat))),
      good_updates_(torch::zeros({}, torch::device(device).dtype(torch::kInt))),
      skipped_(torch::zeros({}, torch::kLong)) {}

bool LossScale::take_out_of(const std::vector<torch::Tensor>& gradients) {
  auto not_finite = torch::zeros_like(factor_);
  at::_amp_foreach_non_finite_check_and_unscale_(
      gradients, not_finite, factor_.to(torch::kDouble).reciprocal().to(torch::kFloat));
  at::_amp_update_scale_(factor_, good_updates_, not_finite, growth, backoff, growth_interval);
  const bool finite = not_finite.item<float>() == 0;
  skipped_.add_(finite ? 0 : 1);
  return finite;
}

NamedTensors LossScale::state(const std::string& prefix) const {
  return {{prefix + "factor", factor_},
          {prefix + "good_updates", good_updates_},
          {prefix + "skipped", skipped_}};
}

void clip_norm(const std::vector<torch::Tensor>& gradients, double longest) {
  constexpr double epsilon = 1e-6;
  const auto norm = torch::linalg_vector_norm(torch::stack(at::_foreach_norm(gradients)), 2);
  const auto factor = (longest / (norm + epsilon)).clamp_max(1);
  if (factor.is_cpu() && factor.item<double>() == 1) {
    return;  // on a GPU, reading the factor would cost more than multiplying
  }
  at::_foreach_mul_(gradients, factor);
}

Updater::Updater(std::unique_ptr<Optimizer> optimizer, double longest, bool scaled)
    : optimizer_(std::move(optimizer)), longest_(longest) {
  if (scaled) {
    scale_.emplace(optimizer_->parameters().front().device());
  }
}

torch::Tensor Updater::gradient_of_loss(const torch::Tensor& loss, double weight) {
  auto& gradient = gradients_of_loss_[weight];
  if (!gradient.defined()) {
    gradient = torch::full({}, weight, loss.options().requires_grad(false));
  }
  return scale_ ? gradient * scale_->factor() : gradient;
}

void Updater::update() {
  const torch::NoGradGuard no_grad;
  const auto gradients = optimizer_->gradients();
  const bool finite = !scale_ || scale_->take_out_of(gradients);
  if (!finite) {
    return;
  }
  if (longest_ > 0) {
    clip_norm(gradients, longest_);
  }
  optimizer_->step();
}

NamedTensors Updater::state() const {
  auto all = optimizer_->state("optimizer.");
  if (scale_) {
    const auto scale = scale_->state("loss_scale.");
    all.insert(all.end(), scale.begin(), scale.end());
  }
  return all;
}

}  // namespace epochcast::libtorch
