// A folder of PNG and JPEG files, one subfolder per class.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/training/image/folder.hpp"
#include "src/training/torch/base/options.hpp"
#include "src/training/torch/data/image_dataset.hpp"

namespace epochcast::libtorch::datasets {
namespace {

/// The first `count` files of a shuffle that is the same in every run. A subset then contains every
/// class in about its original proportion, and a repeated run trains on the same subset.
std::vector<image::ImageFile> drawn(std::vector<image::ImageFile> files, std::size_t count) {
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(files[i], files[i + random() % (files.size() - i)]);
  }
  files.resize(count);
  return files;
}

ImageParts divided_files(std::vector<image::ImageFile> files, const run::OptionValues& options) {
  const auto limit = std::size_t(option<std::int64_t>(options, "limit"));
  const auto part = option<double>(options, "held_out");
  const auto count = limit == 0 ? files.size() : std::min(limit, files.size());
  if (count < files.size() || part > 0) {
    files = drawn(std::move(files), count);
  }
  const auto kept = files.begin() + std::llround(double(count) * part);
  return {.train = image::image_files({kept, files.end()}),
          .held_out = image::image_files({files.begin(), kept})};
}

std::unique_ptr<Dataset> open_images(const DatasetContext& context) {
  check_takes_pictures(context, "images");
  const auto& path = context.options.at("path");
  if (path.empty()) {
    throw Error(
        "dataset.path: not given; expected a folder of images, or several separated by ':'");
  }
  const auto folder = image::list_images(path);
  check_classes(context, "images", std::ssize(folder.classes));
  auto parts = divided_files(folder.files, context.options);
  if (parts.train.labels.empty() && context.trains) {
    throw Error(
        fmt::format("dataset.held_out: found {}, which leaves none of {} images for training",
                    context.options.at("held_out"), parts.held_out.labels.size()));
  }
  parts.notes = class_notes(context, "images", std::ssize(folder.classes));
  return open_pictures(context, std::move(parts));
}

}  // namespace

DatasetSpec images() {
  return {.summary =
              "Folders of PNG and JPEG files, one subfolder per class; resized to the "
              "model's 3 x H x W",
          .options = image_dataset_options(
              {{"path", "text", "", "1",
                "Folder with one subfolder per class; separate several by ':'", "path"},
               {"limit", "integer", "0", "images",
                "Number of images to use, always the same, from all classes (0: all)", ">=0"},
               {"held_out", "number", "0", "1",
                "Fraction of the images to hold out, always the same", "0..1"}}),
          .open = open_images};
}

}  // namespace epochcast::libtorch::datasets
