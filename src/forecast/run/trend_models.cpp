#include "src/forecast/run/trend_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {
namespace {

constexpr int slopes = 12;          // standard deviations of the slope
constexpr int decay_times = 12;     // of AR(1) errors, from half a step to 1024 steps
constexpr std::size_t changes = 3;  // deviations of the innovations, for each

/// Values about their least-squares line.
struct TrendFit {
  double count = 0;
  double mean = 0;
  double slope = 0;
  double spread = 0;    ///< Sum of squared distances of the steps from their middle.
  double residual = 0;  ///< Sum of squared distances of the values from the line.
};

TrendFit trend_fit(const std::vector<double>& values) {
  const auto moments = moments_of(values);
  TrendFit fit{.count = static_cast<double>(values.size()), .mean = moments.mean};
  fit.spread = fit.count * (square(fit.count) - 1) / 12;
  double product = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    product += (static_cast<double>(i) - (fit.count - 1) / 2) * (values[i] - fit.mean);
  }
  fit.slope = product / fit.spread;
  fit.residual = std::max(0.0, moments.squares - fit.slope * product);
  return fit;
}

/// The posterior of the line if the residual deviation is `deviation` and the prior of the slope is
/// normal about 0 with the deviation `slope`.
LinearTrend linear_trend(const TrendFit& fit, double deviation, double slope) {
  const double known = fit.spread / square(deviation);  // precision of the slope that was fitted
  const double precision = known + 1 / square(slope);
  return {.level = fit.mean,
          .level_deviation = deviation / std::sqrt(fit.count),
          .slope = fit.slope * known / precision,
          .slope_deviation = 1 / std::sqrt(precision)};
}

/// The logarithm of the density of the values, with the level integrated out. For the same noise
/// and no slope it is that of log_evidence (noise.hpp).
double log_density(const TrendFit& fit, double deviation, double slope, double usual) {
  const double variance_of_slope = square(deviation) / fit.spread;
  return -(fit.count - 1) * std::log(deviation / usual) - fit.residual / (2 * square(deviation)) -
         std::log1p(square(slope) / variance_of_slope) / 2 -
         square(fit.slope) / (2 * (square(slope) + variance_of_slope));
}

/// A line for each deviation of the slope, averaged over the residual deviation; `probability` is
/// the logarithm of what log_evidence returns. Lines of next to no probability are left out.
std::vector<LinearTrend> log_linear_trends(const TrendFit& fit, double usual) {
  const int points = fit.count < 15 ? 48 : 200;  // fine enough for what is known of the noise
  const auto deviations = prior_deviations(usual, points);
  std::vector<LinearTrend> linear_fits;
  for (const auto& slope : prior_deviations(usual, slopes)) {
    std::vector<double> logs;
    for (const auto& deviation : deviations) {
      logs.push_back(std::log(slope.probability * deviation.probability) +
                     log_density(fit, deviation.value, slope.value, usual));
    }
    const double largest = *std::max_element(logs.begin(), logs.end());
    LinearTrend mean{.level = fit.mean};
    double sum = 0;
    double squared_slope = 0;
    double squared_level = 0;
    for (std::size_t i = 0; i < deviations.size(); ++i) {
      const double weight = std::exp(logs[i] - largest);
      const auto line = linear_trend(fit, deviations[i].value, slope.value);
      sum += weight;
      mean.slope += weight * line.slope;
      squared_slope += weight * (square(line.slope) + square(line.slope_deviation));
      squared_level += weight * square(line.level_deviation);
    }
    mean.slope /= sum;
    mean.slope_deviation = std::sqrt(std::max(0.0, squared_slope / sum - square(mean.slope)));
    mean.level_deviation = std::sqrt(squared_level / sum);
    mean.probability = largest + std::log(sum);
    linear_fits.push_back(mean);
  }
  return linear_fits;
}

/// AR(1) errors, the level integrated out, for a share and each deviation of the innovations;
/// `probability` as of log_linear_trends.
void add_log_ar1(const std::vector<double>& values, double share, double usual,
                 std::vector<Ar1Errors>& ar1_fits) {
  // Differences that are independent: of the first value, whose error has the deviation
  // change / sqrt(1 - share^2), and of each from `share` times the one before.
  const double first = std::sqrt(1 - square(share));
  const auto count = static_cast<double>(values.size());
  const double precision = square(first) + (count - 1) * square(1 - share);
  double sum = first * first * values.front();
  for (std::size_t i = 1; i < values.size(); ++i) {
    sum += (1 - share) * (values[i] - share * values[i - 1]);
  }
  const double level = sum / precision;
  double squares = square(first * (values.front() - level));
  for (std::size_t i = 1; i < values.size(); ++i) {
    squares += square(values[i] - level - share * (values[i - 1] - level));
  }
  const double log_density =
      log_evidence(squares, count - 1, usual) + std::log(count * square(first) / precision) / 2;
  for (const auto& change : in_groups(deviations_from(squares, count - 1, usual), changes)) {
    ar1_fits.push_back({.probability = log_density + std::log(change.probability),
                        .share = share,
                        .level = level,
                        .level_deviation = change.value / std::sqrt(precision),
                        .change = change.value});
  }
}

std::vector<Ar1Errors> log_ar1_errors(const std::vector<double>& values, double usual) {
  std::vector<Ar1Errors> ar1_fits;
  for (int i = 0; i < decay_times; ++i) {
    add_log_ar1(values, std::exp(-std::exp2(1 - i)), usual, ar1_fits);
  }
  return ar1_fits;
}

/// Turns logarithms into probabilities; returns the logarithm of their sum.
template <class Model>
double normalize(std::vector<Model>& models) {
  constexpr double negligible = 1e-3;
  const auto largest =
      std::max_element(models.begin(), models.end(), [](const auto& a, const auto& b) {
        return a.probability < b.probability;
      })->probability;
  double sum = 0;
  for (auto& model : models) {
    model.probability = std::exp(model.probability - largest);
    sum += model.probability;
  }
  for (auto& model : models) {
    model.probability /= sum;
  }
  std::erase_if(models, [](const Model& model) { return model.probability < negligible; });
  return largest + std::log(sum);
}

}  // namespace

TrendModels fit_trend_models(const std::vector<double>& values, double usual) {
  if (values.size() < 2) {
    return {};
  }
  const auto freedom = static_cast<double>(values.size()) - 1;
  TrendModels models{.ar1_fits = log_ar1_errors(values, usual),
                     .linear_fits = log_linear_trends(trend_fit(values), usual)};
  // The level, with any value equally likely before, is integrated out of all: that leaves n - 1
  // degrees of freedom.
  const double log_constant = log_evidence(moments_of(values).squares, freedom, usual);
  static const double log_prior_sum = log_evidence(0, 0, 1);  // which log_evidence leaves in
  const double log_ar1 = normalize(models.ar1_fits) - std::log(decay_times);
  const double log_linear = normalize(models.linear_fits) + log_prior_sum;
  const double largest = std::max({log_constant, log_ar1, log_linear});
  models.constant = (1 - ar1_prior - linear_prior) * std::exp(log_constant - largest);
  models.ar1 = ar1_prior * std::exp(log_ar1 - largest);
  models.linear = linear_prior * std::exp(log_linear - largest);
  const double sum = models.constant + models.ar1 + models.linear;
  models.constant /= sum;
  models.ar1 /= sum;
  models.linear /= sum;
  return models;
}

}  // namespace epochcast::forecast
