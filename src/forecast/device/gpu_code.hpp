// Which GPUs a program that was compiled for some architectures runs on.
#pragma once

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

}  // namespace epochcast::device
