// The headers of LibTorch's own parallel layer. That of ProcessGroupGloo includes Gloo's headers,
// which no wheel contains. Those of Debian's libgloo-dev are good enough, because the class has
// only pointers to Gloo's types.
#pragma once

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "src/training/torch/base/torch.hpp"
