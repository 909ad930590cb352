// IDX, the file format of MNIST and its likes: a big-endian header, then bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::image {

struct IdxFile {
  std::vector<std::int64_t> sizes;  ///< {60000, 28, 28}.
  std::string bytes;                ///< The product of them, row by row.
};

/// Reads FOLDER/NAME, or FOLDER/NAME.gz, of unsigned bytes in `dimensions` dimensions. Format:
/// yann.lecun.com/exdb/mnist. Throws Error naming the file: not there, not IDX, other dimensions,
/// shorter or longer than its header says.
IdxFile read_idx(const std::string& folder, const std::string& name, std::size_t dimensions);

}  // namespace epochcast::image
