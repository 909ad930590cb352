// Fashion-MNIST (Xiao et al., 2017): 60,000 training images and 10,000 held-out images of clothes,
// 28 x 28 pixels, 10 classes; as installed by Debian's dataset-fashion-mnist. MNIST in the same
// files works as well. Pixels are only scaled to [0, 1], as in the data-parallel study. A model for
// color images gets three equal channels, preprocessed as for the model's published training.
#include <fmt/format.h>

#include <algorithm>

#include "src/training/image/idx.hpp"
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/data/image_dataset.hpp"
#include "src/training/torch/data/memory_dataset.hpp"

namespace epochcast::libtorch::datasets {
namespace {

constexpr std::int64_t fashion_classes = 10;
constexpr std::int64_t fashion_side = 28;  // pixels
constexpr std::size_t fashion_bytes = fashion_side * fashion_side;
constexpr const char* debian_folder = "/usr/share/datasets/fashion-mnist";

/// One byte per pixel, one image after the other.
struct GreyPictures {
  std::string name;  ///< For errors.
  std::string bytes;
  std::vector<std::int64_t> labels;
};

/// Reads `part`: "train" or "t10k". Returns the first `limit` samples, or all if the option `limit`
/// is 0; the files are not sorted by class.
GreyPictures read_part(const DatasetContext& context, const std::string& part) {
  const auto& folder = context.options.at("path");
  const auto limit = option<std::int64_t>(context.options, "limit");
  auto images = image::read_idx(folder, part + "-images-idx3-ubyte", 3);
  const auto labels = image::read_idx(folder, part + "-labels-idx1-ubyte", 1);
  const auto count = images.sizes[0];
  if (count != labels.sizes[0] || count == 0) {
    throw Error(fmt::format("{}: found {} images and {} labels of '{}', expected as many of both",
                            folder, count, labels.sizes[0], part));
  }
  if (images.sizes[1] != fashion_side || images.sizes[2] != fashion_side) {
    throw Error(fmt::format("{}: found images of {} x {} of '{}', expected {} x {}", folder,
                            images.sizes[1], images.sizes[2], part, fashion_side, fashion_side));
  }
  const auto used = std::size_t(limit == 0 ? count : std::min(limit, count));
  GreyPictures pictures{folder + ": '" + part + "'", std::move(images.bytes), {}};
  pictures.bytes.resize(used * fashion_bytes);
  for (const auto label : labels.bytes.substr(0, used)) {
    pictures.labels.push_back(static_cast<unsigned char>(label));
  }
  const auto largest = *std::max_element(pictures.labels.begin(), pictures.labels.end());
  if (largest >= fashion_classes) {
    throw Error(fmt::format("{}: found the label {} among those of '{}', expected 0 to {}", folder,
                            largest, part, fashion_classes - 1));
  }
  return pictures;
}

Samples picture_samples(GreyPictures pictures) {
  const auto count = std::ssize(pictures.labels);
  return {
      torch::from_blob(pictures.bytes.data(), {count, 1, fashion_side, fashion_side}, torch::kByte)
          .clone(),
      torch::tensor(pictures.labels, torch::kLong)};
}

image::ImageSource source_of(GreyPictures grey) {
  const auto pictures = std::make_shared<const GreyPictures>(std::move(grey));
  return {
      .labels = pictures->labels,
      .name =
          [pictures](std::size_t index) {
            return fmt::format("{} picture {}", pictures->name, index);
          },
      .read =
          [pictures](std::size_t index) {
            image::Image image(fashion_side, fashion_side);
            auto to = image.pixels.begin();
            for (const auto byte :
                 std::string_view(pictures->bytes).substr(index * fashion_bytes, fashion_bytes)) {
              to = std::fill_n(to, image::Image::channels, static_cast<std::uint8_t>(byte));
            }
            return image;
          },
      .check = [](std::size_t) {}};
}

std::unique_ptr<Dataset> open_in_color(const DatasetContext& context) {
  ImageParts parts{.held_out = source_of(read_part(context, "t10k"))};
  if (context.trains) {
    parts.train = source_of(read_part(context, "train"));
  }
  return open_pictures(context, std::move(parts));
}

std::unique_ptr<Dataset> open_fashion_mnist(const DatasetContext& context) {
  check_classes(context, "fashion_mnist", fashion_classes);
  const auto& shape = context.input.shape;
  if (shape.size() == 3 && shape[0] == image::Image::channels) {
    return open_in_color(context);
  }
  check_shape(context, "fashion_mnist", {1, fashion_side, fashion_side});
  auto train = picture_samples(read_part(context, "train"));
  return std::make_unique<MemoryDataset>(
      std::move(train),
      std::make_unique<MemoryDataset>(picture_samples(read_part(context, "t10k"))));
}

}  // namespace

DatasetSpec fashion_mnist() {
  return {
      .summary =
          "Fashion-MNIST: 60,000 images of clothes, 10,000 more held out; "
          "1 x 28 x 28, or resized to the model's 3 x H x W",
      .options = image_dataset_options(
          {{"path", "text", debian_folder, "1",
            "Folder of the IDX files, gzip or plain (Debian: the package dataset-fashion-mnist)",
            "path"},
           {"limit", "integer", "0", "images", "Number of images to use from each part (0: all)",
            ">=0"}}),
      .open = open_fashion_mnist};
}

}  // namespace epochcast::libtorch::datasets
