#include "src/forecast/scaling/step_setting.hpp"

#include <cmath>

namespace epochcast::forecast {

Doublings doublings_of(const StepSetting& setting) {
  Doublings doublings{};
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    doublings[i] = std::log2(setting.*dimensions[i].value);
  }
  return doublings;
}

double squared_doublings(const StepSetting& a, const StepSetting& b) {
  double sum = 0;
  for (const auto& dimension : dimensions) {
    sum += std::pow(std::log2(a.*dimension.value / b.*dimension.value), 2);
  }
  return sum;
}

}  // namespace epochcast::forecast
