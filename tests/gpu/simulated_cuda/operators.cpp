// The operators of the simulated device: each runs as its CPU kernel on the memory of the device.
// Tensors of the host beside tensors of the device are refused, as the wrappers of CUDA's kernels
// do.
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/simulated_cuda/simulated.hpp"

namespace epochcast::simulated {
namespace {

using at::Tensor;
/// On a GPU most operators take a scalar of the host, these none: they read all in a kernel.
/// Indices may be on the host.
bool may_be_on_host(const std::string& name, const Tensor& tensor) {
  static const std::set<std::string> take_indices{"aten::index", "aten::_index_put_impl_",
                                                  "aten::index_put_"};
  const bool reads_all = name.starts_with("aten::_fused_") || name.starts_with("aten::_amp_");
  return (tensor.dim() == 0 && !reads_all) || take_indices.contains(name);
}

bool is_random(const std::string& name) {
  for (const char* word : {"dropout", "bernoulli", "random", "normal_", "uniform"}) {
    if (name.find(word) != std::string::npos) {
      return true;
    }
  }
  return false;
}

/// Lets the default generator of the CPU give the numbers of the device.
class LentNumbers {
 public:
  LentNumbers()
      : generator_(at::globalContext().defaultGenerator(at::kCPU)), own_(generator_.get_state()) {
    generator_.set_state(device_numbers().get_state());
  }
  ~LentNumbers() {
    device_numbers().set_state(generator_.get_state());
    generator_.set_state(own_);
  }
  LentNumbers(const LentNumbers&) = delete;
  LentNumbers& operator=(const LentNumbers&) = delete;

 private:
  at::Generator generator_;
  Tensor own_;
};

template <class Replacement>
void replace_tensors(c10::IValue& value, const Replacement& replacement) {
  if (value.isTensor()) {
    value = replacement(value.toTensor());
  } else if (value.isTensorList()) {
    c10::List<Tensor> list;
    for (const auto& tensor : value.toTensorVector()) {
      list.push_back(replacement(tensor));
    }
    value = list;
  } else if (value.isOptionalTensorList()) {
    c10::List<std::optional<Tensor>> list;
    for (const auto& tensor : value.toOptionalTensorVector()) {
      list.push_back(tensor ? std::optional(replacement(*tensor)) : std::nullopt);
    }
    value = list;
  }
}

/// One call of an operator on the device.
class Call {
 public:
  Call(const c10::OperatorHandle& op, torch::jit::Stack& stack)
      : op_(op), stack_(stack), first_(stack.size() - op.schema().arguments().size()) {}

  void run() {
    take_arguments();
    widen_softmax();
    take_outputs_without_room();
    {
      const auto numbers =
          is_random(name()) ? std::optional<LentNumbers>(std::in_place) : std::nullopt;
      op_.callBoxed(&stack_);
    }
    fill_outputs();
    for (auto i = stack_.size() - op_.schema().returns().size(); i < stack_.size(); ++i) {
      replace_tensors(stack_[i], [&](const Tensor& tensor) { return given_back(tensor); });
    }
  }

 private:
  struct Pair {
    Tensor of_device, of_host;
  };

  const std::string& name() const { return op_.schema().name(); }

  void take_arguments() {
    for (auto i = first_; i < stack_.size(); ++i) {
      auto& value = stack_[i];
      replace_tensors(value, [&](const Tensor& tensor) { return taken(tensor); });
      if (value.isDevice()) {
        value = c10::Device(c10::kCPU);
      } else if (value.isGenerator()) {
        value = at::globalContext().defaultGenerator(at::kCPU);  // which has the device's numbers
      }
    }
  }

  Tensor taken(const Tensor& tensor) {
    if (!tensor.defined()) {
      return tensor;
    }
    if (tensor.is_cpu()) {
      TORCH_CHECK(may_be_on_host(name(), tensor),
                  "Expected all tensors to be on the same device, but found at least two devices, "
                  "cuda:0 and cpu! (",
                  name(), ")");
      return tensor;
    }
    pairs_.push_back({tensor, hosted(tensor)});
    return pairs_.back().of_host;
  }

  /// The softmax of half precision that a GPU computes to fp32, as the CPU does it: in fp32.
  void widen_softmax() {
    if (name().ends_with("_softmax") && stack_[first_ + 2].toBool()) {
      stack_[first_] = stack_[first_].toTensor().to(at::kFloat);
      stack_[first_ + 2] = false;
    } else if (name().ends_with("_softmax_backward_data")) {
      const auto gradient = stack_[first_].toTensor().scalar_type();
      if (c10::ScalarType(stack_[first_ + 3].toInt()) != gradient) {
        stack_[first_ + 3] = std::int64_t(gradient);
        compute_apart(stack_.back(), gradient);
      }
    }
  }

  void take_outputs_without_room() {
    for (auto i = first_; i < stack_.size(); ++i) {
      auto& value = stack_[i];
      if (op_.schema().arguments()[i - first_].is_out() && value.isTensor() &&
          value.toTensor().numel() == 0) {
        compute_apart(value, value.toTensor().scalar_type());
      }
    }
  }

  /// `output` is copied into the tensor of the device after the call.
  void compute_apart(c10::IValue& output, c10::ScalarType type) {
    for (auto& pair : pairs_) {
      if (pair.of_host.is_same(output.toTensor())) {
        pair.of_host = at::empty({0}, pair.of_host.options().dtype(type));
        outputs_.push_back(pair);
        output = pair.of_host;
        return;
      }
    }
  }

  void fill_outputs() const {
    for (const auto& [of_device, of_host] : outputs_) {
      of_device.resize_(of_host.sizes());
      if (of_host.numel() > 0) {
        of_device.unsafeGetTensorImpl()->set_sizes_and_strides(of_host.sizes(), of_host.strides());
        hosted(of_device).copy_(of_host);
      }
    }
  }

  Tensor given_back(const Tensor& tensor) const {
    if (!tensor.defined()) {
      return tensor;
    }
    for (const auto& [of_device, of_host] : pairs_) {
      if (of_host.is_same(tensor)) {
        return of_device;
      }
    }
    return new_like(tensor);
  }

  const c10::OperatorHandle& op_;
  torch::jit::Stack& stack_;
  std::size_t first_;
  std::vector<Pair> pairs_;
  std::vector<Pair> outputs_;
};

std::vector<Tensor> tensors_in(const torch::jit::Stack& values) {
  std::vector<Tensor> all;
  for (auto value : values) {
    replace_tensors(value, [&](const Tensor& tensor) { return all.emplace_back(tensor); });
  }
  return all;
}

/// What a kernel of CUDA would take from the host when it is launched, for all replays.
void refuse_numbers_of_host(const c10::OperatorHandle& op, const std::vector<Tensor>& arguments) {
  const auto& name = op.schema().name();
  const bool updates = name.starts_with("aten::_fused_adam") || name == "aten::_fused_sgd_";
  TORCH_CHECK(!updates || op.schema().overload_name() == "tensor_lr",
              "a captured step reads the learning rate on the host (", name, ")");
  for (const auto& tensor : arguments) {
    TORCH_CHECK(
        !tensor.defined() || tensor.is_cuda() || tensor.unsafeGetTensorImpl()->is_wrapped_number(),
        "a captured step reads a tensor of the host (", name, ")");
  }
}

/// Computes the call now, as a capture on a GPU does not; its effects are put back at the end.
void capture_call(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const auto first = stack.end() - std::ssize(op.schema().arguments());
  torch::jit::Stack arguments(first, stack.end());
  const auto given = tensors_in(arguments);
  refuse_numbers_of_host(op, given);
  Call(op, stack).run();
  auto results = tensors_in({stack.end() - std::ssize(op.schema().returns()), stack.end()});
  for (auto& result : results) {
    const bool is_argument = std::ranges::any_of(
        given, [&](const Tensor& argument) { return argument.is_same(result); });
    result = is_argument ? Tensor() : as_in_graph(result);
  }
  for (auto& value : arguments) {
    replace_tensors(value, &as_in_graph);
  }
  add_to_graph([op, arguments, results] {
    auto again = arguments;
    Call(op, again).run();
    const auto computed = tensors_in(again);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].defined() && results[i].numel() > 0) {
        hosted(results[i]).copy_(hosted(computed[i]));
      }
    }
  });
}

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  ++counts().operators;
  if (op.schema().name() == "aten::_local_scalar_dense") {
    ++counts().items;
    tell_wait(".item()", stack->back().toTensor());
    wait_for_all();
  }
  if (log_level() > 2) {
    std::fprintf(stderr, "simulated CUDA: %s.%s\n", op.schema().name().c_str(),
                 op.schema().overload_name().c_str());
  }
  if (is_capturing()) {
    capture_call(op, *stack);
  } else {
    Call(op, *stack).run();
  }
}

std::int64_t choose_math(const Tensor& /*query*/, const Tensor& /*key*/, const Tensor& /*value*/,
                         const std::optional<Tensor>& /*mask*/, double /*dropout*/, bool /*causal*/,
                         std::optional<double> /*scale*/, bool /*gqa*/) {
  return 0;  // SDPBackend::math
}

[[maybe_unused]] const bool attention_registered = [] {
  at::native::_fused_sdp_choice_stub.set_cuda_dispatch_ptr(&choose_math);
  return true;
}();

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  // Composites that look for a kernel of CUDA by themselves.
  m.impl("convolution", torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
  m.impl("convolution_backward", torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}
TORCH_LIBRARY_IMPL(_, CUDA, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}

}  // namespace
}  // namespace epochcast::simulated
