#include "src/training/torch/profile/operator_work.hpp"

#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

#include "src/training/torch/base/torch.hpp"
#include "src/training/torch/profile/counting.hpp"

namespace epochcast::libtorch {
namespace {

/// Of the operators open on this thread.
struct WorkFrame {
  bool within_counted = false;  ///< In a call whose FLOP are counted.
  bool calls_worker = false;    ///< A call within moved data.
};

struct WorkCall : at::ObserverContext {
  std::vector<c10::IValue> inputs;
};

struct WorkCounter {
  std::mutex mutex;  // backward runs on threads of its own
  operators::WorkByName work;
  at::CallbackHandle handle = at::INVALID_CALLBACK_HANDLE;
};
WorkCounter& work_counter() {
  static WorkCounter instance;
  return instance;
}

std::vector<WorkFrame>& open_frames() {
  thread_local std::vector<WorkFrame> frames;
  return frames;
}

double value_bytes(const c10::IValue& value) {
  if (value.isTensor()) {
    const auto& tensor = value.toTensor();
    return tensor.defined() ? static_cast<double>(tensor.nbytes()) : 0;
  }
  double bytes = 0;
  if (value.isTensorList() || value.isOptionalTensorList()) {
    for (const auto& element : value.toListRef()) {
      bytes += value_bytes(element);
    }
  }
  return bytes;
}

/// Operators that allocate, or change sizes only, and whose schema does not say so.
bool only_allocates(std::string_view name) {
  constexpr std::array<std::string_view, 6> names{"aten::_unsafe_view", "aten::resize_",
                                                  "aten::resize_as_",   "aten::set_",
                                                  "aten::item",         "aten::result_type"};
  return name.starts_with("aten::empty") || name.starts_with("aten::new_empty") ||
         std::ranges::find(names, name) != names.end();
}

/// Bytes that the schema says are read and written; 0 of a view.
double moved_bytes(const at::RecordFunction& function, const std::vector<c10::IValue>& inputs) {
  const auto schema = function.operator_schema();
  if (!schema || only_allocates(function.name())) {
    return 0;
  }
  const auto writes = [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  };
  double bytes = 0;
  const auto& arguments = schema->arguments();
  for (std::size_t i = 0; i < std::min(inputs.size(), arguments.size()); ++i) {
    const double own = value_bytes(inputs[i]);
    bytes += (arguments[i].is_out() ? 0 : own) + (writes(arguments[i]) ? own : 0);
  }
  const auto& returns = schema->returns();
  const auto& outputs = function.outputs();
  bool is_view = !returns.empty();
  for (std::size_t i = 0; i < std::min(outputs.size(), returns.size()); ++i) {
    is_view = is_view && returns[i].alias_info() != nullptr && !writes(returns[i]);
    bytes += returns[i].alias_info() == nullptr ? value_bytes(outputs[i]) : 0;
  }
  return is_view ? 0 : bytes;
}

std::unique_ptr<at::ObserverContext> begin_work_call(const at::RecordFunction& function) {
  auto& frames = open_frames();
  const bool within = !frames.empty() && frames.back().within_counted;
  frames.push_back({within || has_counted_flops(function.name()), false});
  auto call = std::make_unique<WorkCall>();
  if (!within) {
    const auto inputs = function.inputs();
    call->inputs.assign(inputs.begin(), inputs.end());
  }
  return call;
}

void end_work_call(const at::RecordFunction& function, at::ObserverContext* context) {
  auto& frames = open_frames();
  if (context == nullptr || frames.empty()) {
    return;  // the counting began within this call
  }
  const auto frame = frames.back();
  frames.pop_back();
  const bool within = !frames.empty() && frames.back().within_counted;
  const auto& inputs = static_cast<const WorkCall&>(*context).inputs;
  operators::CountedWork own{.calls = 1};
  if (!within && has_counted_flops(function.name())) {
    const auto count = count_call(function.name(), inputs, function.outputs());
    own.flops = count.flops;
    own.convolution_flops = count.convolution_flops;
    own.bytes = count.bytes;
  } else if (!within && !frame.calls_worker) {
    own.bytes = moved_bytes(function, inputs);
  }
  if (!frames.empty()) {
    frames.back().calls_worker |= frame.calls_worker || own.bytes > 0;
  }
  const std::lock_guard lock(work_counter().mutex);
  auto& sum = work_counter().work[function.name()];
  sum.calls += own.calls;
  sum.flops += own.flops;
  sum.convolution_flops += own.convolution_flops;
  sum.bytes += own.bytes;
}

}  // namespace

void start_counting_work() {
  work_counter().work.clear();
  work_counter().handle =
      at::addGlobalCallback(at::RecordFunctionCallback(begin_work_call, end_work_call)
                                .needsInputs(true)
                                .needsOutputs(true)
                                .scopes({at::RecordScope::FUNCTION}));
}

operators::WorkByName stop_counting_work() {
  at::removeCallback(work_counter().handle);
  work_counter().handle = at::INVALID_CALLBACK_HANDLE;
  auto work = std::move(work_counter().work);
  std::erase_if(
      work, [](const auto& entry) { return entry.second.flops == 0 && entry.second.bytes == 0; });
  return work;
}

}  // namespace epochcast::libtorch
