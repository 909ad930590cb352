// The common part of all image data sets: from images to the input of a model.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/training/image/loader.hpp"
#include "src/training/torch/data/dataset.hpp"

namespace epochcast::libtorch {

/// The options of an image data set: `own`, then the options that all image data sets have.
std::vector<run::OptionSpec> image_dataset_options(std::vector<run::OptionSpec> own);

/// Throws Error if the model does not take color images.
void check_takes_pictures(const DatasetContext& context, std::string_view dataset);

/// From the bytes of pictures to the numbers that a model reads.
class PlaneNormalizer {
 public:
  explicit PlaneNormalizer(const image::Preprocessing& preprocessing);

  /// `planes`: red, green, blue, as image::split_planes() writes them; `to`: as many numbers.
  void normalize(std::span<const std::uint8_t> planes, float* to) const;

 private:
  std::array<std::array<float, 256>, image::Image::channels> normalized_;
};

/// Either part may be empty.
struct ImageParts {
  image::ImageSource train;
  image::ImageSource held_out;
  std::vector<std::string> notes = {};  ///< For the record.
};

/// `parts` in the form that the model of `context` needs: resized and cropped to its input size,
/// and normalized. If the run does not train, only the held-out part, if there is one. Throws Error
/// as ImageLoader does.
std::unique_ptr<Dataset> open_pictures(const DatasetContext& context, ImageParts parts);

}  // namespace epochcast::libtorch
