#include "src/training/torch/base/precision.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <cstdlib>
#include <string_view>

namespace epochcast::libtorch {
namespace {

/// Whether the tensor cores of the GPU compute TF32 and bf16, as they do from sm_80 on.
bool has_tf32_and_bf16() {
  return at::detail::getCUDAHooks().supportsBFloat16ConvolutionWithCuDNNv8();
}

/// cuBLAS and cuDNN obey it, and LibTorch does not know.
bool is_tf32_overridden() {
  const char* value = std::getenv("NVIDIA_TF32_OVERRIDE");
  return value != nullptr && std::string_view(value) == "0";
}

}  // namespace

Precision precision_named(const std::string& name) {
  return name == "bf16" ? Precision::bf16 : name == "fp16" ? Precision::fp16 : Precision::fp32;
}

std::string arithmetic_of(Precision precision, const torch::Device& device) {
  if (precision != Precision::fp32) {
    return precision == Precision::bf16 ? "bf16" : "fp16";
  }
  std::string arithmetic = "fp32";
  if (!device.is_cuda() || !has_tf32_and_bf16() || is_tf32_overridden()) {
    return arithmetic;
  }
  if (at::globalContext().allowTF32CuDNN()) {
    arithmetic += "+tf32-conv";
  }
  if (at::globalContext().allowTF32CuBLAS()) {
    arithmetic += "+tf32-matmul";
  }
  return arithmetic;
}

std::string precision_note(Precision precision, const torch::Device& device) {
  const bool is_slow = precision == Precision::bf16 && device.is_cuda() && !has_tf32_and_bf16();
  return is_slow ? "this GPU has no bf16 arithmetic (it is older than sm_80), which LibTorch "
                   "emulates slowly: use --precision=fp16"
                 : "";
}

bool prefers_channels_last(Precision precision, const torch::Device& device) {
  return !device.is_cuda() || precision == Precision::fp16 || has_tf32_and_bf16();
}

Autocast::Autocast(Precision precision, const torch::Device& device)
    : on_(precision != Precision::fp32), device_(device.type()) {
  if (on_) {
    was_on_ = at::autocast::is_autocast_enabled(device_);
    type_before_ = at::autocast::get_autocast_dtype(device_);
    at::autocast::set_autocast_dtype(
        device_, precision == Precision::bf16 ? torch::kBFloat16 : torch::kHalf);
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::increment_nesting();
  }
}

Autocast::~Autocast() {
  if (on_) {
    if (at::autocast::decrement_nesting() == 0) {
      at::autocast::clear_cache();  // weights that were cast in this scope
    }
    at::autocast::set_autocast_enabled(device_, was_on_);
    at::autocast::set_autocast_dtype(device_, type_before_);
  }
}

}  // namespace epochcast::libtorch
