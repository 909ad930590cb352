// Which GPUs a program that was compiled for some architectures runs on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::device {

/// What nvcc was told to generate, of its options: {"sm_75", "compute_120"} of
/// "-gencode;arch=compute_75,code=sm_75;-gencode arch=compute_120,code=compute_120".
std::vector<std::string> code_in_flags(std::string_view flags);

/// Whether `code` has some that runs on the architecture of a GPU ("sm_86"), by the rules of the
/// CUDA C++ Programming Guide: binary code (sm_XY) within its major version from its minor version
/// on, code that the driver compiles (compute_XY) from its version on, either with the suffix `a`
/// on that version only, and with `f` within the major version.
bool has_code_for(const std::vector<std::string>& code, std::string_view architecture);

/// What a trainer can do with GPUs: the end of the line that `epochcast-train --version` prints,
/// and that `epochcast-jobs check` reads.
struct CudaSupport {
  bool loads = false;             ///< It can load CUDA.
  std::string why_not;            ///< If it cannot, as far as the reason is known.
  std::vector<std::string> code;  ///< The architectures that its LibTorch has code for, if known.
};

/// "with CUDA for sm_75 sm_80", "without CUDA (libcuda.so.1: cannot open shared object file)".
std::string to_text(const CudaSupport& support);

/// The support stated by the output of `epochcast-train --version`; std::nullopt: it states none.
std::optional<CudaSupport> cuda_support_in(std::string_view version);

}  // namespace epochcast::device
