#include "src/training/torch/base/precision.hpp"

#include <ATen/autocast_mode.h>

namespace epochcast::libtorch {

Precision precision_named(const std::string& name) {
  return name == "bf16" ? Precision::bf16 : name == "fp16" ? Precision::fp16 : Precision::fp32;
}

std::string arithmetic_of(Precision precision, const torch::Device& device) {
  if (precision != Precision::fp32) {
    return precision == Precision::bf16 ? "bf16" : "fp16";
  }
  std::string arithmetic = "fp32";
  if (device.is_cuda() && at::globalContext().allowTF32CuDNN()) {
    arithmetic += "+tf32-conv";
  }
  if (device.is_cuda() && at::globalContext().allowTF32CuBLAS()) {
    arithmetic += "+tf32-matmul";
  }
  return arithmetic;
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
