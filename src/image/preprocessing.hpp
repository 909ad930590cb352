// What is done to a picture before a network sees it, as the network was published with it.
#pragma once

#include <array>

#include "src/image/image.hpp"
#include "src/image/resize.hpp"

namespace epochcast::image {

/// How a picture gets the size that a network takes.
enum class Fit {
  stretch,        ///< Both axes to Preprocessing::edge, then the middle of it.
  shortest_edge,  ///< The shorter axis to Preprocessing::edge, the other in proportion, then the
                  ///< middle.
};

struct Preprocessing {
  ResizeFilter filter = ResizeFilter::bilinear;
  Fit fit = Fit::stretch;
  int edge = 0;  ///< Pixels; 0: the size that the network takes, so that nothing is cut off.
  /// Of red, green and blue from 0 to 1: the mean is taken off, the rest divided by the deviation.
  std::array<float, Image::channels> mean{0.5F, 0.5F, 0.5F};
  std::array<float, Image::channels> deviation{0.5F, 0.5F, 0.5F};
};

/// Means and deviations of ImageNet's training pictures. Source: transformers, image_utils.py
/// (IMAGENET_DEFAULT_MEAN, IMAGENET_DEFAULT_STD).
inline constexpr std::array imagenet_mean{0.485F, 0.456F, 0.406F};
inline constexpr std::array imagenet_deviation{0.229F, 0.224F, 0.225F};

/// `image` at `width` x `height`, resized and cut as `how` says, where edge is 0 or at least both.
/// Throws Error, which does not know the picture's name, if resizing would make more than
/// max_image_pixels of it. Source of the order and of the rounding of sizes: transformers,
/// image_transforms.py (resize, get_resize_output_image_size, center_crop).
Image fitted(const Image& image, const Preprocessing& how, int width, int height);

/// What becomes of every byte of channel `channel`: (byte / 255 - mean) / deviation, in float32.
std::array<float, 256> normalized_bytes(const Preprocessing& how, int channel);

}  // namespace epochcast::image
