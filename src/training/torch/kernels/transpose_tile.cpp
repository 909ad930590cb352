#include "src/training/torch/kernels/transpose_tile.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

namespace epochcast::libtorch {

void transpose_tile(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride,
                    std::int64_t rows, std::int64_t columns) {
  // A copy, so that whole cache lines are read and written.
  std::array<std::array<float, tile_size>, tile_size> turned;
  const auto turn = [&](auto row_count, auto column_count) {
    for (std::int64_t row = 0; row < row_count; ++row) {
      for (std::int64_t column = 0; column < column_count; ++column) {
        turned[column][row] = from[row * from_stride + column];
      }
    }
  };
  if (rows == tile_size && columns == tile_size) {  // with constant sizes, the compiler vectorizes
    constexpr std::integral_constant<std::int64_t, tile_size> whole;
    turn(whole, whole);
  } else {
    turn(rows, columns);
  }
  for (std::int64_t column = 0; column < columns; ++column) {
    std::copy_n(turned[column].begin(), rows, to + column * to_stride);
  }
}

}  // namespace epochcast::libtorch
