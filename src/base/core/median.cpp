#include "src/base/core/median.hpp"

#include <algorithm>
#include <stdexcept>

namespace epochcast {

double median_of(std::vector<double> values) {
  if (values.empty()) {
    throw std::logic_error("median of nothing");
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace epochcast
