// A loop of ours, in a file of its own: src/training/torch/CMakeLists.txt compiles it with -O3.
#pragma once

#include <cstdint>

namespace epochcast::libtorch {

/// The largest number of rows and of columns of a tile.
inline constexpr std::int64_t tile_size = 32;

/// Transposes `rows` x `columns` numbers. The rows are `from_stride` numbers apart in `from`; the
/// rows of the transpose are `to_stride` numbers apart in `to`.
void transpose_tile(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride,
                    std::int64_t rows, std::int64_t columns);

}  // namespace epochcast::libtorch
