#include "src/forecast/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace epochcast {
namespace {

constexpr std::size_t block = 5;
constexpr std::size_t fewest_blocks = 3;  // fewer say nothing of the spread

/// Means of whole blocks; what is over at the end is left out.
std::vector<double> block_means(const std::vector<double>& values) {
  std::vector<double> means;
  for (std::size_t i = 0; i + block <= values.size(); i += block) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
    means.push_back(std::accumulate(first, first + block, 0.0) / block);
  }
  return means;
}

struct Moments {
  double mean = 0;
  double variance = 0;
  double count = 0;
};

/// Sums from the end, so that every cut is judged in one pass.
std::size_t best_cut(const std::vector<double>& means) {
  double sum = 0;
  double squares = 0;
  double best = std::numeric_limits<double>::infinity();
  std::size_t cut = 0;
  for (std::size_t i = means.size(); i-- > 0;) {
    const double centred = means[i] - means.back();  // keeps the digits that the difference of squares needs
    sum += centred;
    squares += centred * centred;
    const auto count = static_cast<double>(means.size() - i);
    const double standard_error_squared = (squares - sum * sum / count) / (count * count);
    if (i <= means.size() / 2 && standard_error_squared <= best) {
      best = standard_error_squared;
      cut = i;
    }
  }
  return cut;
}

Moments moments_of(const std::vector<double>& values, std::size_t from) {
  Moments moments{.count = static_cast<double>(values.size() - from)};
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
  moments.mean = std::accumulate(first, values.end(), 0.0) / moments.count;
  for (std::size_t i = from; i < values.size(); ++i) {
    moments.variance += std::pow(values[i] - moments.mean, 2) / std::max(1.0, moments.count - 1);
  }
  return moments;
}

Interval around(double total_s, double deviation_s, double quantile) {
  return {total_s - quantile * deviation_s, total_s + quantile * deviation_s};
}

}  // namespace

std::size_t warm_up_length(const std::vector<double>& values) { return best_cut(block_means(values)) * block; }

std::variant<Forecast, Refusal> forecast(const Series& series) {
  const auto means = block_means(series.iteration_s);
  if (means.size() < fewest_blocks) {
    return Refusal{"fewer than 15 steps measured"};
  }
  const auto cut = best_cut(means);
  const auto steady = moments_of(means, cut);
  const auto warm_up_end = series.iteration_s.begin() + static_cast<std::ptrdiff_t>(cut * block);
  const double warm_up_s = std::accumulate(series.iteration_s.begin(), warm_up_end, 0.0);
  const double steps = static_cast<double>(series.epochs * series.iterations_per_epoch);
  const double steady_steps = std::max(0.0, steps - static_cast<double>(cut * block));

  Forecast result;
  result.steady_iteration_s = steady.mean;
  result.classification = cut == 0 ? "flat" : "warm-up";
  result.parts = {{"before", series.before_s},
                  {"warm-up", warm_up_s},
                  {"steady", steady_steps * steady.mean},
                  {"behind epochs", static_cast<double>(series.epochs) * series.behind_epoch_s}};
  for (const auto& part : result.parts) {
    result.total_s += part.seconds;
  }
  // The mean is known to variance/count; the blocks still to come scatter about it besides.
  const double blocks = steady_steps / block;
  const double deviation_s =
      block * std::sqrt(steady.variance * (blocks * blocks / steady.count + blocks));
  result.interval_80 = around(result.total_s, deviation_s, 1.2816);
  result.interval_95 = around(result.total_s, deviation_s, 1.9600);
  return result;
}

}  // namespace epochcast
