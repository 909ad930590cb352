// IDX, the file format of MNIST and similar data sets: a big-endian header, then bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::image {

struct IdxFile {
  std::vector<std::int64_t> sizes;  ///< The size of each dimension: {60000, 28, 28}.
  std::string bytes;                ///< As many bytes as the product of the sizes, row by row.
};

/// Reads FOLDER/NAME or FOLDER/NAME.gz, which contains unsigned bytes in `dimensions` dimensions.
/// Format: yann.lecun.com/exdb/mnist. Throws Error naming the file if it does not exist, is not
/// IDX, has a different number of dimensions, or is shorter or longer than its header states.
IdxFile read_idx(const std::string& folder, const std::string& name, std::size_t dimensions);

}  // namespace epochcast::image
