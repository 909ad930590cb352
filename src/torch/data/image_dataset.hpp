// What image data sets have in common: from images to the input of a model.
#pragma once

#include <string_view>

#include "src/image/loader.hpp"
#include "src/torch/data/dataset.hpp"

namespace epochcast::libtorch {

/// The options of an image data set: `own`, then those that all have.
std::vector<run::OptionSpec> image_dataset_options(std::vector<run::OptionSpec> own);

/// Throws Error if the model does not take color images.
void check_takes_pictures(const DatasetContext& context, std::string_view dataset);

/// Either part may be empty.
struct ImageParts {
  image::ImageSource train;
  image::ImageSource held_out;
  std::vector<std::string> notes = {};  ///< For the record.
};

/// `parts` as the model of `context` needs them: resized and cropped to its size, normalized; only
/// the held-out part if there is one and the run does not train. Throws Error as ImageLoader.
std::unique_ptr<Dataset> open_pictures(const DatasetContext& context, ImageParts parts);

}  // namespace epochcast::libtorch
