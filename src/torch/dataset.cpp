#include "src/torch/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/error.hpp"

namespace epochcast {

void check_shape(const DatasetContext& context, std::string_view dataset, const std::vector<std::int64_t>& shape) {
  if (context.input != shape) {
    throw Error(fmt::format("dataset {}: the model wants samples of shape {}, expected one that takes {}", dataset,
                            fmt::join(context.input, " x "), fmt::join(shape, " x ")));
  }
}

void check_classes(const DatasetContext& context, std::string_view dataset, std::int64_t classes) {
  if (context.classes > 0 && context.classes < classes) {
    throw Error(fmt::format("dataset {}: the model tells {} classes apart, expected at least the {} there are", dataset,
                            context.classes, classes));
  }
}

}  // namespace epochcast
