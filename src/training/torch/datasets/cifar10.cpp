// CIFAR-10 (Krizhevsky, 2009), in the binary version: 50,000 training images and 10,000 held-out
// images, 32 x 32 pixels, 10 classes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "src/base/core/error.hpp"
#include "src/training/image/cifar.hpp"
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/data/image_dataset.hpp"

namespace epochcast::libtorch::datasets {
namespace {

image::ImageSource cifar_source(const DatasetContext& context, image::CifarPart part) {
  const auto& folder = context.options.at("path");
  const auto limit = std::size_t(option<std::int64_t>(context.options, "limit"));
  const auto pictures =
      std::make_shared<const image::CifarPictures>(image::read_cifar(folder, part, limit));
  const auto name = [folder, part](std::size_t index) {
    return fmt::format("{}: {} picture {}", folder,
                       part == image::CifarPart::train ? "training" : "test", index);
  };
  return {.labels = pictures->labels,
          .name = name,
          .read = [pictures](std::size_t index) { return pictures->at(index); },
          .check = [](std::size_t) {}};
}

std::unique_ptr<Dataset> open_cifar10(const DatasetContext& context) {
  check_takes_pictures(context, "cifar10");
  const auto& folder = context.options.at("path");
  if (folder.empty()) {
    throw Error(
        "dataset.path: not given; expected the folder with data_batch_1.bin to data_batch_5.bin");
  }
  check_classes(context, "cifar10", std::ssize(image::cifar_classes(folder)));
  ImageParts parts{.held_out = cifar_source(context, image::CifarPart::test)};
  if (context.trains) {
    parts.train = cifar_source(context, image::CifarPart::train);
    parts.notes = class_notes(context, "cifar10", std::ssize(image::cifar_classes(folder)));
  }
  return open_pictures(context, std::move(parts));
}

}  // namespace

DatasetSpec cifar10() {
  return {.summary =
              "CIFAR-10: 50,000 images of 10 classes, 10,000 more held out; "
              "resized to the model's 3 x H x W",
          .options = image_dataset_options(
              {{"path", "text", "", "1",
                "Folder of the binary form's files, or that of its archive unpacked", "path"},
               {"limit", "integer", "0", "images",
                "Number of images to use from each part (0: all)", ">=0"}}),
          .open = open_cifar10};
}

}  // namespace epochcast::libtorch::datasets
