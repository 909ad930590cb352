// Tensors of the simulated device: how they are made, copied and seen by the host, and the counts
// of what would wait.
#include <ATen/EmptyTensor.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <cstdio>

#include "tests/gpu/simulated_cuda/simulated.hpp"

namespace epochcast::simulated {
namespace {

using at::Tensor;
constexpr c10::DispatchKeySet cuda_key(c10::DispatchKey::CUDA);

Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type,
             std::optional<at::Layout> /*layout*/, std::optional<at::Device> /*device*/,
             std::optional<bool> pin, std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  return at::detail::empty_generic(size, &device_memory(), cuda_key, at::dtype_or_default(type),
                                   format);
}

Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                     std::optional<at::ScalarType> type, std::optional<at::Layout> /*layout*/,
                     std::optional<at::Device> /*device*/, std::optional<bool> /*pin*/) {
  return at::detail::empty_strided_generic(size, stride, &device_memory(), cuda_key,
                                           at::dtype_or_default(type));
}

const Tensor& resize_(const Tensor& self, at::IntArrayRef size,
                      std::optional<at::MemoryFormat> /*format*/) {
  auto* impl = self.unsafeGetTensorImpl();
  const auto bytes = std::size_t(c10::multiply_integers(size)) * self.element_size();
  auto* storage = impl->unsafe_storage().unsafeGetStorageImpl();
  if (storage->nbytes() < bytes + std::size_t(self.storage_offset()) * self.element_size()) {
    storage->set_data_ptr_noswap(device_memory().allocate(bytes));
    storage->set_nbytes(bytes);
  }
  impl->set_sizes_contiguous(size);
  return self;
}

Tensor& copy_(Tensor& self, const Tensor& from, bool non_blocking) {
  if (self.is_cpu() || from.is_cpu()) {
    refuse_in_capture("copy from or to the host");
  } else if (is_capturing()) {
    add_to_graph(
        [to = as_in_graph(self), from = as_in_graph(from)] { hosted(to).copy_(hosted(from)); });
  }
  if (self.is_cpu()) {
    ++counts().to_host;
    tell_wait("copy to the host", from);
    if (!non_blocking) {
      wait_for_all();
    }
  } else if (from.is_cpu()) {
    ++(non_blocking ? counts().to_device : counts().to_device_waiting);
    counts().unpinned += non_blocking && !from.is_pinned() ? 1 : 0;
    if (!non_blocking) {
      tell_wait("waiting copy to the device", from);
    }
  } else {
    ++counts().copies;
  }
  hosted(self).copy_(hosted(from));
  return self;
}

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("copy_", &copy_);
  m.impl("resize_", &resize_);
  m.impl("view", &at::native::view);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("unfold", &at::native::unfold);
  m.impl("set_.source_Storage_storage_offset", &at::native::set_storage_cpu_);
  m.impl("set_.source_Tensor", &at::native::set_tensor_);
}

}  // namespace

std::int64_t log_level() {
  static const auto level = setting("SIMULATED_CUDA_LOG", 0);
  return level;
}

Counts& counts() {
  static Counts all;
  return all;
}

void tell_wait(const char* what, const at::Tensor& tensor) {
  if (log_level() > 1) {
    std::fprintf(stderr, "simulated CUDA: after %ld operators: %s, %ld elements\n",
                 counts().operators.load(), what, long(tensor.numel()));
  }
}

at::Tensor new_like(const at::Tensor& of_host) {
  auto result =
      at::empty_strided(of_host.sizes(), of_host.strides(),
                        of_host.options().device(c10::Device(c10::kCUDA, 0)).pinned_memory(false));
  if (of_host.numel() > 0) {
    hosted(result).copy_(of_host);
  }
  return result;
}

Counts::~Counts() {
  if (log_level() > 0) {
    std::fprintf(stderr,
                 "simulated CUDA: operators %ld, copies %ld; waits %ld: items %ld, to host %ld, to "
                 "device %ld; without waiting %ld, not pinned %ld; replays %ld; "
                 "bytes %ld\n",
                 operators.load(), copies.load(), items + to_host + to_device_waiting, items.load(),
                 to_host.load(), to_device_waiting.load(), to_device.load(), unpinned.load(),
                 replays.load(), long(peak_bytes()));
  }
}

at::Tensor hosted(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda()) {
    return tensor;
  }
  const auto options = tensor.options().device(at::kCPU).requires_grad(false);
  if (tensor.storage().nbytes() == 0) {
    return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  }
  begin_work();
  auto* first = static_cast<char*>(on_host(tensor.storage().data())) +
                tensor.storage_offset() * std::int64_t(tensor.element_size());
  return at::from_blob(first, tensor.sizes(), tensor.strides(), options);
}

}  // namespace epochcast::simulated
