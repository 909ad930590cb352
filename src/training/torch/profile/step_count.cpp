#include "src/training/torch/profile/step_count.hpp"

namespace epochcast::libtorch {

namespace {

template <class Pass>
OperatorCount count_pass(const ModelSpec& model, NetworkContext context, std::int64_t batch,
                         Pass pass) {
  context.device = torch::kCPU;
  context.replicas = &alone();
  // Autocast runs all counted operators in half precision, which a CPU may only emulate.
  const double bytes_of_fp32 = context.precision == Precision::fp32 ? 1 : 0.5;
  context.precision = Precision::fp32;
  const auto network = model.make(context);
  const auto count = [&](std::int64_t samples) {
    const auto tiny = blank_samples(model.input(context.options), samples);
    return count_operators([&] { pass(*network, tiny); });
  };
  const auto two = count(2);
  const auto three = count(3);
  const double more = double(batch - 2);
  return {.flops = two.flops + more * (three.flops - two.flops),
          .convolution_flops =
              two.convolution_flops + more * (three.convolution_flops - two.convolution_flops),
          .bytes = bytes_of_fp32 * (two.bytes + more * (three.bytes - two.bytes))};
}

}  // namespace

OperatorCount count_step(const ModelSpec& model, NetworkContext context, std::int64_t batch) {
  return count_pass(model, std::move(context), batch,
                    [](Network& network, const Samples& tiny) { network.step(tiny); });
}

OperatorCount count_inference(const ModelSpec& model, NetworkContext context, std::int64_t batch) {
  return count_pass(model, std::move(context), batch,
                    [](Network& network, const Samples& tiny) { network.infer(tiny); });
}

record::Work work_of(const Network& network, const OperatorCount& count, std::int64_t batch,
                     const std::string& precision) {
  record::Work work{.flops_per_sample = count.flops / double(batch),
                    .convolution_flops_per_sample = count.convolution_flops / double(batch),
                    .bytes_per_sample = count.bytes / double(batch),
                    .precision = record::FixedText<64>(precision)};
  for (const auto& [name, parameter] : network.parameters()) {
    work.parameter_count += parameter.numel();
  }
  return work;
}

}  // namespace epochcast::libtorch
