// What data sets of pictures have in common: the way from pictures to what a model takes.
#pragma once

#include <string_view>

#include "src/image/loader.hpp"
#include "src/torch/data/dataset.hpp"

namespace epochcast::libtorch {

/// Options of a data set of pictures: `own`, then those that all have.
std::vector<run::OptionSpec> image_dataset_options(std::vector<run::OptionSpec> own);

/// Throws Error where the model does not take pictures in colour.
void check_takes_pictures(const DatasetContext& context, std::string_view dataset);

/// Either part may have no pictures.
struct ImageParts {
  image::ImageSource train;
  image::ImageSource held_out;
};

/// `parts` as the model of `context` takes them: resized and cut to its size, normalised; of the
/// held-out one alone where there is no training. Throws Error as ImageLoader.
std::unique_ptr<Dataset> open_pictures(const DatasetContext& context, ImageParts parts);

}  // namespace epochcast::libtorch
