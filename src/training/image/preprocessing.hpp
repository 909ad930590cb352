// Preprocessing of an image for a network, as published with that network.
#pragma once

#include <array>
#include <cstdint>

#include "src/training/image/decode.hpp"
#include "src/training/image/image.hpp"
#include "src/training/image/resize.hpp"

namespace epochcast::image {

/// How an image is resized to the size that a network takes.
enum class Fit {
  stretch,        ///< Resizes both axes to Preprocessing::edge, then crops the center.
  shortest_edge,  ///< Resizes the shorter axis to Preprocessing::edge and the other in proportion,
                  ///< then crops the center.
};

struct Preprocessing {
  ResizeFilter filter = ResizeFilter::bilinear;
  Fit fit = Fit::stretch;
  int edge = 0;  ///< Pixels; 0: the size that the network takes, so that nothing is cropped.
  /// For red, green and blue from 0 to 1: the mean is subtracted, then the result is divided by the
  /// deviation.
  std::array<float, Image::channels> mean{0.5F, 0.5F, 0.5F};
  std::array<float, Image::channels> deviation{0.5F, 0.5F, 0.5F};
};

/// Means and deviations of the training images of ImageNet. Source: transformers, image_utils.py
/// (IMAGENET_DEFAULT_MEAN, IMAGENET_DEFAULT_STD).
inline constexpr std::array imagenet_mean{0.485F, 0.456F, 0.406F};
inline constexpr std::array imagenet_deviation{0.229F, 0.224F, 0.225F};

/// Resizes and crops `image` to `width` x `height` as specified by `how`, where edge is 0 or at
/// least both. Throws Error, which does not contain the name of the image, if resizing would
/// produce more than `max_pixels`. Source of the order and of the rounding of sizes:
/// transformers, image_transforms.py (resize, get_resize_output_image_size, center_crop).
Image fitted(const Image& image, const Preprocessing& how, int width, int height,
             std::int64_t max_pixels = max_image_pixels);

/// Writes the red plane of `image` to `planes`, then green, then blue.
void split_planes(const Image& image, std::uint8_t* planes);

/// The normalized value of every byte of `channel`: (byte / 255 - mean) / deviation, in float32.
std::array<float, 256> normalized_bytes(const Preprocessing& how, int channel);

}  // namespace epochcast::image
