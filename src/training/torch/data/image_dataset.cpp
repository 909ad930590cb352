#include "src/training/torch/data/image_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/training/image/loader.hpp"

namespace epochcast::libtorch {
namespace {

class ImageDataset : public Dataset {
 public:
  ImageDataset(image::ImageSource source, const image::LoaderOptions& options)
      : height_(options.height),
        width_(options.width),
        normalizer_(options.preprocessing),
        loader_(std::move(source), options) {}

  void add_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }
  void hold_out(std::unique_ptr<Dataset> held_out) { held_out_ = std::move(held_out); }
  std::int64_t cached_bytes() const { return loader_.cached_bytes(); }

  std::int64_t size() const override { return loader_.size(); }
  Dataset* held_out() override { return held_out_.get(); }

  std::vector<std::string> notes() const override {
    auto own = notes_;
    const auto of_loader = loader_.notes();
    own.insert(own.end(), of_loader.begin(), of_loader.end());
    return notes_of_both(std::move(own), held_out_.get());
  }

  void start(std::vector<std::int64_t> order, std::int64_t batch) override {
    loader_.start(std::move(order), batch);
  }

  std::string origin(std::int64_t index) const override { return loader_.name(index); }

  Samples next() override {
    const std::int64_t count = loader_.next_size();
    if (count == 0) {
      return {};
    }
    Samples batch{torch::empty({count, image::Image::channels, height_, width_}, torch::kFloat32),
                  torch::empty({count}, torch::kInt64)};
    float* input = batch.inputs.data_ptr<float>();
    auto* label = batch.labels.data_ptr<std::int64_t>();
    std::int64_t row = 0;
    loader_.next([&](const image::ImageSample& sample) {
      if (sample.planes.empty()) {
        batch.unreadable.push_back(row);
        batch.inputs[row].zero_();
      } else {
        normalizer_.normalize(sample.planes, input + row * sample_size());
      }
      label[row++] = sample.label;
    });
    return batch;
  }

 private:
  std::int64_t sample_size() const { return image::Image::channels * height_ * width_; }

  std::int64_t height_;
  std::int64_t width_;
  PlaneNormalizer normalizer_;
  image::ImageLoader loader_;
  std::unique_ptr<Dataset> held_out_;
  std::vector<std::string> notes_;
};

image::LoaderOptions loader_options(const DatasetContext& context) {
  const auto& shape = context.input.shape;
  Bytes cache{context.as_published ? 0 : image::cache_budget_bytes()};
  if (const std::string& given = context.options.at("cache"); !given.empty()) {
    from_text(given, cache);
  }
  return {.width = int(shape[2]),
          .height = int(shape[1]),
          .preprocessing = context.input.pictures,
          .threads = int(context.threads),
          .cache_bytes = cache.value,
          .refuse_bad_files = context.refuse_bad_files,
          .keep_places = !context.trains};
}

}  // namespace

PlaneNormalizer::PlaneNormalizer(const image::Preprocessing& preprocessing) {
  for (int channel = 0; channel < image::Image::channels; ++channel) {
    normalized_[std::size_t(channel)] = image::normalized_bytes(preprocessing, channel);
  }
}

void PlaneNormalizer::normalize(std::span<const std::uint8_t> planes, float* to) const {
  const auto plane = planes.size() / image::Image::channels;
  for (const auto& table : normalized_) {
    to = std::transform(planes.begin(), planes.begin() + std::ptrdiff_t(plane), to,
                        [&](std::uint8_t byte) { return table[byte]; });
    planes = planes.subspan(plane);
  }
}

std::vector<run::OptionSpec> image_dataset_options(std::vector<run::OptionSpec> own) {
  own.push_back({"cache", "size", "", "B",
                 "Memory for decoded images; if all do not fit they are decoded in every epoch "
                 "(empty: a quarter of what is available; with procedure reference none)",
                 ">=0"});
  return own;
}

void check_takes_pictures(const DatasetContext& context, std::string_view dataset) {
  const auto& shape = context.input.shape;
  if (shape.size() != 3 || shape[0] != image::Image::channels) {
    throw Error(
        fmt::format("dataset {}: the model needs samples of shape {}, expected 3 x height x width",
                    dataset, fmt::join(shape, " x ")));
  }
}

std::unique_ptr<Dataset> open_pictures(const DatasetContext& context, ImageParts parts) {
  auto options = loader_options(context);
  const bool any_held_out = !parts.held_out.labels.empty();
  if (any_held_out && !context.trains) {
    return std::make_unique<ImageDataset>(std::move(parts.held_out), options);
  }
  auto data = std::make_unique<ImageDataset>(std::move(parts.train), options);
  data->add_notes(std::move(parts.notes));
  if (any_held_out) {
    options.cache_bytes -= data->cached_bytes();
    data->hold_out(std::make_unique<ImageDataset>(std::move(parts.held_out), options));
  }
  return data;
}

}  // namespace epochcast::libtorch
