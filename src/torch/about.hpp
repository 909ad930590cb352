// What the trainer's command line asks of LibTorch's side before a run. No LibTorch type stands here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/run/run_config.hpp"

namespace epochcast {

/// `config` with every option of its model and data set filled in.
/// Throws Error: unknown model or data set, unknown option or a value that is not allowed.
RunConfig completed(RunConfig config);

/// Shape of one sample of the model: {3, 64, 64}.
std::vector<std::int64_t> input_shape(const std::string& model);

/// "LibTorch 2.11.0" and what else decides its speed.
std::string library_versions();

}  // namespace epochcast
