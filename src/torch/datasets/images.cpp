// A folder of PNG and JPEG files, resized to what the model wants and scaled to [-1, 1], as the
// published DCGAN reads its data: ToTensor (x / 255), then Normalize(0.5, 0.5).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "src/core/error.hpp"
#include "src/core/quantity.hpp"
#include "src/image/cache_budget.hpp"
#include "src/image/folder.hpp"
#include "src/image/image.hpp"
#include "src/image/loader.hpp"
#include "src/torch/dataset.hpp"

namespace epochcast::datasets {
namespace {

/// The first `limit` files (0: all) of a shuffle that is the same in every run, so that a part of
/// the set holds every class in about its share and a repeat trains on the same part.
std::vector<ImageFile> some_of(std::vector<ImageFile> files, std::size_t limit) {
  if (limit == 0 || limit >= files.size()) {
    return files;
  }
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < limit; ++i) {
    std::swap(files[i], files[i + random() % (files.size() - i)]);
  }
  files.resize(limit);
  return files;
}

/// The float of every byte, rounded step by step as the tensor operations round.
std::array<float, 256> scaled_bytes() {
  std::array<float, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = (float(byte) / 255.0F - 0.5F) / 0.5F;
  }
  return table;
}

LoaderOptions loader_options(const DatasetContext& context) {
  const auto& shape = context.input.shape;
  if (shape.size() != 3 || shape[0] != Image::channels) {
    throw Error(fmt::format(
        "dataset images: the model wants samples of shape {}, expected 3 x height x width",
        fmt::join(shape, " x ")));
  }
  Bytes cache{cache_budget_bytes()};
  if (const std::string& given = context.options.at("cache"); !given.empty()) {
    from_text(given, cache);
  }
  return {.width = int(shape[2]),
          .height = int(shape[1]),
          .threads = int(context.threads),
          .cache_bytes = cache.value,
          .refuse_bad_files = context.refuse_bad_files};
}

std::vector<ImageFile> chosen_files(const DatasetContext& context) {
  const auto& options = context.options;
  if (options.at("path").empty()) {
    throw Error(
        "dataset.path: not given; expected a folder of images, or several separated by ':'");
  }
  std::int64_t limit = 0;
  from_text(options.at("limit"), limit);
  const auto folder = list_images(options.at("path"));
  check_classes(context, "images", std::ssize(folder.classes));
  return some_of(folder.files, std::size_t(limit));
}

class Images : public Dataset {
 public:
  explicit Images(const DatasetContext& context)
      : shape_(context.input.shape), loader_(chosen_files(context), loader_options(context)) {}

  std::int64_t size() const override { return loader_.size(); }
  std::vector<std::string> notes() const override { return loader_.notes(); }

  void start(std::vector<std::int64_t> order, std::int64_t batch) override {
    loader_.start(std::move(order), batch);
  }

  Samples next() override {
    const std::int64_t count = loader_.next_size();
    if (count == 0) {
      return {};
    }
    Samples batch{torch::empty({count, shape_[0], shape_[1], shape_[2]}, torch::kFloat32),
                  torch::empty({count}, torch::kInt64)};
    float* input = batch.inputs.data_ptr<float>();
    auto* label = batch.labels.data_ptr<std::int64_t>();
    loader_.next([&](const ImageSample& sample) {
      static const std::array<float, 256> scaled = scaled_bytes();
      input = std::transform(sample.planes.begin(), sample.planes.end(), input,
                             [](std::uint8_t byte) { return scaled[byte]; });
      *label++ = sample.label;
    });
    return batch;
  }

 private:
  std::vector<std::int64_t> shape_;
  ImageLoader loader_;
};

}  // namespace

DatasetSpec images() {
  return {.summary =
              "Folders of PNG and JPEG files, resized to the model's input and scaled to [-1, 1]",
          .options = {{"path", "text", "", "1",
                       "Folder with a subfolder a class; several separated by ':'"},
                      {"limit", "integer", "0", "images",
                       "Use so many images, always the same, of all classes mixed (0: all)", ">=0"},
                      {"cache", "size", "", "B",
                       "Memory for decoded images; if all do not fit they are decoded in every "
                       "epoch (empty: a "
                       "quarter of what is available)",
                       ">=0"}},
          .open = [](const DatasetContext& context) { return std::make_unique<Images>(context); }};
}

}  // namespace epochcast::datasets
