#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {

Step sum_of(const std::vector<Step>& steps) {
  Step sum{.seconds = 0, .work = 0};
  for (const auto& step : steps) {
    sum.seconds += step.seconds;
    sum.work += step.work;
  }
  return sum;
}

std::vector<Step> merged(const std::vector<Step>& steps, std::size_t size) {
  std::vector<Step> result;
  for (auto first = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() % size);
       first != steps.end(); first += static_cast<std::ptrdiff_t>(size)) {
    result.push_back(sum_of({first, first + static_cast<std::ptrdiff_t>(size)}));
  }
  return result;
}

std::vector<Step> steps_after(const std::vector<Step>& steps, std::size_t count) {
  return {steps.begin() + static_cast<std::ptrdiff_t>(count), steps.end()};
}

std::vector<double> rates_of(const std::vector<Step>& steps) {
  std::vector<double> rates;
  for (const auto& step : steps) {
    rates.push_back(step.rate());
  }
  return rates;
}

}  // namespace epochcast::forecast
