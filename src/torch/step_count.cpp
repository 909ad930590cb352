#include "src/torch/step_count.hpp"

namespace epochcast {

OperatorCount count_step(const ModelSpec& model, NetworkContext context, std::int64_t batch) {
  context.device = torch::kCPU;
  context.replicas = &alone();
  const auto network = model.make(context);
  const auto count = [&](std::int64_t samples) {
    auto shape = model.input(context.options);
    shape.insert(shape.begin(), samples);
    const Samples tiny{torch::zeros(shape), torch::zeros({samples}, torch::kLong)};
    return count_operators([&] { network->step(tiny); });
  };
  const auto two = count(2);
  const auto three = count(3);
  const double more = double(batch - 2);
  return {two.flops + more * (three.flops - two.flops),
          two.bytes + more * (three.bytes - two.bytes)};
}

}  // namespace epochcast
