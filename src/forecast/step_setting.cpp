#include "src/forecast/step_setting.hpp"

#include <cmath>

namespace epochcast::forecast {

double squared_doublings(const StepSetting& a, const StepSetting& b) {
  double sum = 0;
  for (const auto& dimension : dimensions) {
    sum += std::pow(std::log2(a.*dimension.value / b.*dimension.value), 2);
  }
  return sum;
}

}  // namespace epochcast::forecast
