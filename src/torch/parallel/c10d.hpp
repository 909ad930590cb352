// The headers of LibTorch's own parallel layer. ProcessGroupGloo's asks for Gloo's, which no wheel
// ships: those of Debian's libgloo-dev serve, since only pointers to Gloo's types stand in the
// class.
#pragma once

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "src/torch/base/torch.hpp"
