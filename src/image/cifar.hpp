// CIFAR-10 (Krizhevsky, 2009) in its binary form: 60,000 pictures of 32 x 32 pixels in 10 classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/image/image.hpp"

namespace epochcast::image {

enum class CifarPart { train, test };

struct CifarPictures {
  static constexpr int side = 32;          ///< Pixels.
  static constexpr int per_file = 10'000;  ///< Pictures.
  static constexpr std::size_t picture_bytes = std::size_t(side) * side * Image::channels;

  std::vector<std::int64_t> labels;  ///< 0 to 9.
  std::vector<std::uint8_t> planes;  ///< picture_bytes each: red, green and blue, row by row.

  Image at(std::size_t index) const;
};

/// The first `limit` pictures (0: all) of a part, in their order: data_batch_1.bin to
/// data_batch_5.bin, 50,000 pictures, or test_batch.bin, 10,000. `folder` holds them, or a folder
/// cifar-10-batches-bin that does. Format: cs.toronto.edu/~kriz/cifar.html, "binary version": a
/// byte of the label, then the planes. Throws Error naming the file: not there, of another size,
/// another label.
CifarPictures read_cifar(const std::string& folder, CifarPart part, std::size_t limit = 0);

/// Names of the 10 classes, batches.meta.txt. Throws Error: not there, others than 10.
std::vector<std::string> cifar_classes(const std::string& folder);

}  // namespace epochcast::image
