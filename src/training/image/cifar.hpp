// CIFAR-10 (Krizhevsky, 2009), binary version: 60,000 images of 32 x 32 pixels in 10 classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/training/image/image.hpp"

namespace epochcast::image {

enum class CifarPart { train, test };

struct CifarPictures {
  static constexpr int side = 32;          ///< Pixels.
  static constexpr int per_file = 10'000;  ///< Images.
  static constexpr std::size_t picture_bytes = std::size_t(side) * side * Image::channels;

  std::vector<std::int64_t> labels;  ///< 0 to 9.
  std::vector<std::uint8_t> planes;  ///< picture_bytes each: red, green and blue, row by row.

  Image at(std::size_t index) const;
};

/// Reads the first `limit` images (0: all) of a part in their order: data_batch_1.bin to
/// data_batch_5.bin, 50,000 images, or test_batch.bin, 10,000. `folder` contains these files, or a
/// folder cifar-10-batches-bin with them. Format: cs.toronto.edu/~kriz/cifar.html, "binary
/// version": one byte for the label, then the planes. Throws Error naming the file if it does not
/// exist, has a wrong size, or contains a wrong label.
CifarPictures read_cifar(const std::string& folder, CifarPart part, std::size_t limit = 0);

/// Names of the 10 classes, from batches.meta.txt. Throws Error if the file does not exist or does
/// not contain 10 names.
std::vector<std::string> cifar_classes(const std::string& folder);

}  // namespace epochcast::image
