#include "src/forecast/statistics/warm_up.hpp"

#include <limits>
#include <numeric>

namespace epochcast::forecast {

std::size_t mser_cut(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  double best = std::numeric_limits<double>::infinity();
  std::size_t cut = 0;
  for (std::size_t i = values.size(); i-- > 0;) {  // sums from the end: one pass covers every cut
    const double centred = values[i] - values.back();  // keeps digits in the difference of squares
    sum += centred;
    squares += centred * centred;
    const auto count = static_cast<double>(values.size() - i);
    const double standard_error_squared = (squares - sum * sum / count) / (count * count);
    if (i <= values.size() / 2 && standard_error_squared <= best) {
      best = standard_error_squared;
      cut = i;
    }
  }
  return cut;
}

std::size_t warm_up_length(const std::vector<double>& step_s) {
  constexpr std::size_t block = 5;
  std::vector<double> means;
  for (std::size_t i = 0; i + block <= step_s.size(); i += block) {
    const auto first = step_s.begin() + static_cast<std::ptrdiff_t>(i);
    means.push_back(std::accumulate(first, first + block, 0.0) / block);
  }
  return block * mser_cut(means);
}

}  // namespace epochcast::forecast
