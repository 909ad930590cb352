// The arithmetic of a run: single precision, or half precision by autocast.
#pragma once

#include <string>

#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {

enum class Precision { fp32, bf16, fp16 };

/// The precision for the value of RunConfig::precision.
Precision precision_named(const std::string& name);

/// The arithmetic that operators actually use on `device`: "fp32", "fp32+tf32-conv", "bf16", ... as
/// forecasts expect it. A GPU before sm_80 has no TF32, whatever LibTorch allows.
std::string arithmetic_of(Precision precision, const torch::Device& device);

/// What a user of this precision must know of `device`, or "".
std::string precision_note(Precision precision, const torch::Device& device);

/// Whether convolutions are fastest in the layout channels_last. On a GPU they are in tensor cores
/// only: in fp32 a V100 takes 1.6 times as long with it (pytorch#44943).
bool prefers_channels_last(Precision precision, const torch::Device& device);

/// In its scope, matrix products and convolutions compute in half precision, as within Python's
/// torch.autocast. With fp32 it does nothing. On a CPU that cannot compute in fp16, LibTorch
/// emulates fp16, as PyTorch does there.
class Autocast {
 public:
  Autocast(Precision precision, const torch::Device& device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool on_;
  torch::DeviceType device_;
  bool was_on_ = false;
  torch::ScalarType type_before_ = torch::kFloat;
};

}  // namespace epochcast::libtorch
