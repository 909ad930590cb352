// Version and git revision of these sources. Their values are in a generated source
// (cmake/Revision.cmake), so that a commit recompiles one small file.
#pragma once

namespace epochcast {

extern const char* const tool_version;
extern const char* const tool_revision;

/// In the output of 'epochcast-train --version' if it cannot load CUDA, with the reason; 'check'
/// looks for it.
inline constexpr const char* without_cuda = "without CUDA";
/// Before the list of the GPU architectures that its LibTorch has code for: "sm_75 sm_80\n".
inline constexpr const char* with_cuda_for = "with CUDA for ";

}  // namespace epochcast
