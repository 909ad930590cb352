// The only #include of LibTorch's headers.
#pragma once

#include <torch/torch.h>

#ifndef NDEBUG
#error \
    "LibTorch's packages are release builds: without NDEBUG, classes of its headers have more members than theirs"
#endif
