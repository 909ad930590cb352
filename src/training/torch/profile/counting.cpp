#include "src/training/torch/profile/counting.hpp"

#include <ATen/record_function.h>

#include <map>
#include <mutex>
#include <string_view>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {
namespace {

using Values = c10::ArrayRef<c10::IValue>;

double numel(const c10::IValue& value) {
  return static_cast<double>(value.toTensor().numel());
}

double size(const c10::IValue& value, std::int64_t dimension) {
  return static_cast<double>(value.toTensor().size(dimension));
}

/// Every element of a convolution's output (transposed: of its input) meets each tap of one filter.
double convolution_flops(const c10::IValue& input, const c10::IValue& weight,
                         const c10::IValue& output, bool transposed) {
  return 2 * numel(transposed ? input : output) * numel(weight) / size(weight, 0);
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, ...)
double forward_flops(Values in, Values out) {
  return convolution_flops(in[0], in[1], out[0], in[6].toBool());
}

// convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
// transposed,
//                      output_padding, groups, output_mask): the same for each of the two gradients
//                      that is requested.
double backward_flops(Values in, Values /*out*/) {
  const auto mask = in[10].toBoolList();
  return (int(mask.get(0)) + int(mask.get(1))) *
         convolution_flops(in[1], in[2], in[0], in[7].toBool());
}

double product_flops(const c10::IValue& left, const c10::IValue& out) {
  return 2 * numel(out) * static_cast<double>(left.toTensor().size(-1));
}

double attention_product_flops(const c10::IValue& query, const c10::IValue& key) {
  return 2 * numel(query) * size(key, 2);
}

// _scaled_dot_product_..._attention(query, key, value, ...), each (batch, heads, tokens, size of a
// head): every query meets every key, and every weight every value.
double attention_flops(Values in, Values /*out*/) {
  return 2 * attention_product_flops(in[0], in[1]);
}

// _scaled_dot_product_..._attention_backward(grad_out, query, key, ...): the weights once more,
// then the gradients of weights, values, queries and keys.
double attention_backward_flops(Values in, Values /*out*/) {
  return 5 * attention_product_flops(in[1], in[2]);
}

struct Counted {
  double (*flops)(Values in, Values out);
  bool is_convolution = false;
};
const std::map<std::string_view, Counted>& counted_operators() {
  static const std::map<std::string_view, Counted> operators{
      {"aten::convolution", {forward_flops, true}},
      {"aten::convolution_backward", {backward_flops, true}},
      {"aten::mm", {[](Values in, Values out) { return product_flops(in[0], out[0]); }}},
      {"aten::bmm", {[](Values in, Values out) { return product_flops(in[0], out[0]); }}},
      {"aten::addmm", {[](Values in, Values out) { return product_flops(in[1], out[0]); }}},
      {"aten::addmm_", {[](Values in, Values out) { return product_flops(in[1], out[0]); }}},
      {"aten::baddbmm", {[](Values in, Values out) { return product_flops(in[1], out[0]); }}},
      // (input, weight, ...), and with something to add (input, other, weight, ...)
      {"mkldnn::_linear_pointwise",
       {[](Values in, Values out) { return product_flops(in[0], out[0]); }}},
      {"aten::_scaled_dot_product_flash_attention_for_cpu", {attention_flops}},
      {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", {attention_backward_flops}},
      {"aten::_scaled_dot_product_flash_attention", {attention_flops}},  // of a GPU, as the next
      {"aten::_scaled_dot_product_flash_attention_backward", {attention_backward_flops}},
      {"aten::_scaled_dot_product_efficient_attention", {attention_flops}},
      {"aten::_scaled_dot_product_efficient_attention_backward", {attention_backward_flops}},
      {"aten::_scaled_dot_product_cudnn_attention", {attention_flops}},
      {"aten::_scaled_dot_product_cudnn_attention_backward", {attention_backward_flops}},
  };
  return operators;
}

double tensor_bytes(Values values) {
  double bytes = 0;
  for (const auto& value : values) {
    if (value.isTensor() && value.toTensor().defined()) {
      bytes += static_cast<double>(value.toTensor().nbytes());
    }
  }
  return bytes;
}

OperatorCount operator_count(const Counted& counted, Values inputs, Values outputs) {
  const double flops = counted.flops(inputs, outputs);
  return {.flops = flops,
          .convolution_flops = counted.is_convolution ? flops : 0,
          .bytes = tensor_bytes(inputs) + tensor_bytes(outputs)};
}

/// Inputs are available only before the call, outputs only after it.
struct Call : at::ObserverContext {
  Counted counted;
  std::vector<c10::IValue> inputs;
};

struct Counter {
  std::mutex mutex;  // Backward runs on threads of its own.
  OperatorCount count;
};
Counter& counter() {
  static Counter instance;
  return instance;
}

std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& function) {
  const auto found = counted_operators().find(function.name());
  if (found == counted_operators().end()) {
    return nullptr;
  }
  auto call = std::make_unique<Call>();
  call->counted = found->second;
  const auto inputs = function.inputs();
  call->inputs.assign(inputs.begin(), inputs.end());
  return call;
}

void end_call(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) {
    return;
  }
  const auto& call = static_cast<const Call&>(*context);
  const auto own = operator_count(call.counted, call.inputs, function.outputs());
  const std::lock_guard lock(counter().mutex);
  auto& count = counter().count;
  count.flops += own.flops;
  count.convolution_flops += own.convolution_flops;
  count.bytes += own.bytes;
}

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

bool has_counted_flops(std::string_view name) {
  return counted_operators().contains(name);
}

OperatorCount count_call(std::string_view name, c10::ArrayRef<c10::IValue> inputs,
                         c10::ArrayRef<c10::IValue> outputs) {
  return operator_count(counted_operators().at(name), inputs, outputs);
}

OperatorCount count_operators(const std::function<void()>& body) {
  counter().count = {};
  const auto handle = at::addGlobalCallback(at::RecordFunctionCallback(begin_call, end_call)
                                                .needsInputs(true)
                                                .needsOutputs(true)
                                                .scopes({at::RecordScope::FUNCTION}));
  try {
    body();
  } catch (...) {
    at::removeCallback(handle);
    throw;
  }
  at::removeCallback(handle);
  return counter().count;
}

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
