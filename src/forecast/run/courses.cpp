#include "src/forecast/run/courses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/core/square.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/step.hpp"

namespace epochcast::forecast {
namespace {

constexpr int slopes = 12;          // of lines, from small to large
constexpr int memories = 12;        // of errors that last, from half a step to 1024 steps
constexpr std::size_t changes = 3;  // of such errors

/// Values about their least-squares line.
struct Fit {
  double count = 0;
  double mean = 0;
  double slope = 0;
  double spread = 0;    ///< Sum of squared distances of the steps from their middle.
  double residual = 0;  ///< Sum of squared distances of the values from the line.
};

Fit fit_of(const std::vector<double>& values) {
  const auto moments = moments_of(values);
  Fit fit{.count = static_cast<double>(values.size()), .mean = moments.mean};
  fit.spread = fit.count * (square(fit.count) - 1) / 12;
  double product = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    product += (static_cast<double>(i) - (fit.count - 1) / 2) * (values[i] - fit.mean);
  }
  fit.slope = product / fit.spread;
  fit.residual = std::max(0.0, moments.squares - fit.slope * product);
  return fit;
}

/// The line if the scatter is `scatter` and the slope is normal about 0 with the deviation `slope`.
Line line_of(const Fit& fit, double scatter, double slope) {
  const double known = fit.spread / square(scatter);  // precision of the slope that was fitted
  const double precision = known + 1 / square(slope);
  return {.level = fit.mean,
          .level_deviation = scatter / std::sqrt(fit.count),
          .slope = fit.slope * known / precision,
          .slope_deviation = 1 / std::sqrt(precision)};
}

/// The logarithm of the density of the values, with the level integrated out. For the same scatter
/// and no slope it is that of log_evidence (scatter.hpp).
double log_density(const Fit& fit, double scatter, double slope, double usual) {
  const double variance_of_slope = square(scatter) / fit.spread;
  return -(fit.count - 1) * std::log(scatter / usual) - fit.residual / (2 * square(scatter)) -
         std::log1p(square(slope) / variance_of_slope) / 2 -
         square(fit.slope) / (2 * (square(slope) + variance_of_slope));
}

/// A line for each deviation of the slope, the scatter averaged; `probability` is the logarithm of
/// what log_evidence returns. Lines of next to no probability are left out.
std::vector<Line> log_lines_of(const Fit& fit, double usual) {
  const int points = fit.count < 15 ? 48 : 200;  // fine enough for what is known of the scatter
  const auto scatters = prior_deviations(usual, points);
  std::vector<Line> lines;
  for (const auto& slope : prior_deviations(usual, slopes)) {
    std::vector<double> logs;
    for (const auto& scatter : scatters) {
      logs.push_back(std::log(slope.probability * scatter.probability) +
                     log_density(fit, scatter.value, slope.value, usual));
    }
    const double largest = *std::max_element(logs.begin(), logs.end());
    Line mean{.level = fit.mean};
    double sum = 0;
    double squared_slope = 0;
    double squared_level = 0;
    for (std::size_t i = 0; i < scatters.size(); ++i) {
      const double weight = std::exp(logs[i] - largest);
      const auto line = line_of(fit, scatters[i].value, slope.value);
      sum += weight;
      mean.slope += weight * line.slope;
      squared_slope += weight * (square(line.slope) + square(line.slope_deviation));
      squared_level += weight * square(line.level_deviation);
    }
    mean.slope /= sum;
    mean.slope_deviation = std::sqrt(std::max(0.0, squared_slope / sum - square(mean.slope)));
    mean.level_deviation = std::sqrt(squared_level / sum);
    mean.probability = largest + std::log(sum);
    lines.push_back(mean);
  }
  return lines;
}

/// Errors that last, the level integrated out, for a share and each deviation of the changes;
/// `probability` as of log_lines_of.
void add_log_lasting(const std::vector<double>& values, double share, double usual,
                     std::vector<Lasting>& errors) {
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
    errors.push_back({.probability = log_density + std::log(change.probability),
                      .share = share,
                      .level = level,
                      .level_deviation = change.value / std::sqrt(precision),
                      .change = change.value});
  }
}

std::vector<Lasting> log_lasting_of(const std::vector<double>& values, double usual) {
  std::vector<Lasting> errors;
  for (int i = 0; i < memories; ++i) {
    add_log_lasting(values, std::exp(-std::exp2(1 - i)), usual, errors);
  }
  return errors;
}

/// Turns logarithms into probabilities; returns the logarithm of their sum.
template <class Course>
double normalize(std::vector<Course>& courses) {
  constexpr double negligible = 1e-3;
  const auto largest =
      std::max_element(courses.begin(), courses.end(), [](const auto& a, const auto& b) {
        return a.probability < b.probability;
      })->probability;
  double sum = 0;
  for (auto& course : courses) {
    course.probability = std::exp(course.probability - largest);
    sum += course.probability;
  }
  for (auto& course : courses) {
    course.probability /= sum;
  }
  std::erase_if(courses, [](const Course& course) { return course.probability < negligible; });
  return largest + std::log(sum);
}

}  // namespace

Courses courses_of(const std::vector<double>& values, double usual) {
  if (values.size() < 2) {
    return {};
  }
  const auto freedom = static_cast<double>(values.size()) - 1;
  Courses courses{.errors = log_lasting_of(values, usual),
                  .lines = log_lines_of(fit_of(values), usual)};
  // The level, with any value equally likely before, is integrated out of all: that leaves n - 1
  // degrees of freedom.
  const double log_constant = log_evidence(moments_of(values).squares, freedom, usual);
  static const double log_prior_sum = log_evidence(0, 0, 1);  // which log_evidence leaves in
  const double log_lasting = normalize(courses.errors) - std::log(memories);
  const double log_trend = normalize(courses.lines) + log_prior_sum;
  const double largest = std::max({log_constant, log_lasting, log_trend});
  courses.constant = (1 - lasts - trends) * std::exp(log_constant - largest);
  courses.lasting = lasts * std::exp(log_lasting - largest);
  courses.trend = trends * std::exp(log_trend - largest);
  const double sum = courses.constant + courses.lasting + courses.trend;
  courses.constant /= sum;
  courses.lasting /= sum;
  courses.trend /= sum;
  return courses;
}

}  // namespace epochcast::forecast
