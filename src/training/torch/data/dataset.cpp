#include "src/training/torch/data/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/base/core/error.hpp"

namespace epochcast::libtorch {

Samples blank_samples(const SampleSpec& spec, std::int64_t count) {
  auto shape = spec.shape;
  shape.insert(shape.begin(), count);
  return {spec.vocabulary > 0 ? torch::zeros(shape, torch::kLong) : torch::zeros(shape),
          torch::zeros({count}, torch::kLong)};
}

std::vector<std::string> notes_of_both(std::vector<std::string> own, const Dataset* held_out) {
  if (held_out != nullptr) {
    for (const auto& note : held_out->notes()) {
      own.push_back("held out: " + note);
    }
  }
  return own;
}

void check_shape(const DatasetContext& context, std::string_view dataset,
                 const std::vector<std::int64_t>& shape) {
  if (context.input.vocabulary > 0) {
    throw Error(
        fmt::format("dataset {}: the model needs tokens, expected a model for samples of shape {}",
                    dataset, fmt::join(shape, " x ")));
  }
  if (context.input.shape != shape) {
    throw Error(
        fmt::format("dataset {}: the model needs samples of shape {}, expected a model for {}",
                    dataset, fmt::join(context.input.shape, " x "), fmt::join(shape, " x ")));
  }
}

void check_classes(const DatasetContext& context, std::string_view dataset, std::int64_t classes) {
  if (context.input.classes > 0 && context.input.classes < classes) {
    throw Error(fmt::format(
        "dataset {}: found labels up to {}, but the model distinguishes {} class{} (labels from "
        "0); "
        "see the options of both",
        dataset, classes - 1, context.input.classes, context.input.classes == 1 ? "" : "es"));
  }
}

std::vector<std::string> class_notes(const DatasetContext& context, std::string_view dataset,
                                     std::int64_t classes) {
  if (context.input.classes <= classes || classes == 0) {
    return {};
  }
  return {fmt::format("{} has {} class{}, the model distinguishes {} (see model.labels)", dataset,
                      classes, classes == 1 ? "" : "es", context.input.classes)};
}

}  // namespace epochcast::libtorch
