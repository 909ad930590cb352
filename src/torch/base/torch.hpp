// The only #include of LibTorch's headers.
#pragma once

#include <torch/torch.h>
