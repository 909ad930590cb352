#include "src/forecast/run/noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"

namespace epochcast::forecast {
namespace {

constexpr int grid = 48;
constexpr double smallest_share = 0.05;  // of the usual deviation
constexpr double largest_share = 200;    // noise of more than the mean itself
constexpr double enough_freedom = 30;    // the whole range would be coarser than what is known

/// The logarithm of the probability, up to a constant, of the logarithm of a share.
double log_prior(double log_share) {
  const double far = log_share / spread_of_deviations;
  return -(noise_freedom + 1) / 2 * std::log1p(far * far / noise_freedom);
}

/// The deviations to choose from: of the whole range that is usual, or near the one measured.
std::vector<double> candidates(double squares, double freedom, double usual) {
  std::vector<double> values;
  double low = std::log(smallest_share * usual);
  double high = std::log(largest_share * usual);
  if (freedom >= enough_freedom) {
    constexpr double range = 4;  // standard deviations of the logarithm
    const double measured =
        std::log(std::sqrt((noise_freedom * usual * usual + squares) / (noise_freedom + freedom)));
    low = measured - range / std::sqrt(2 * freedom);
    high = measured + range / std::sqrt(2 * freedom);
  }
  const int count = freedom >= enough_freedom ? grid / 3 : grid;
  for (int i = 0; i < count; ++i) {
    values.push_back(std::exp(low + (high - low) * i / (count - 1)));
  }
  return values;
}

/// The logarithm of the prior times the density of the residuals, up to a constant.
double log_weight(double value, double squares, double freedom, double usual) {
  const double log_share = std::log(value / usual);
  return log_prior(log_share) - freedom * log_share - squares / (2 * value * value);
}

/// Turns logarithms of probabilities, up to a constant, into probabilities.
std::vector<Deviation> normalized(std::vector<Deviation> deviations) {
  constexpr double negligible = 1e-5;
  double largest = -std::numeric_limits<double>::infinity();
  for (const auto& one : deviations) {
    largest = std::max(largest, one.probability);
  }
  for (auto& one : deviations) {
    one.probability = std::exp(one.probability - largest);
  }
  std::erase_if(deviations, [](const Deviation& one) { return one.probability < negligible; });
  double sum = 0;
  for (const auto& one : deviations) {
    sum += one.probability;
  }
  for (auto& one : deviations) {
    one.probability /= sum;
  }
  return deviations;
}

}  // namespace

std::vector<Deviation> prior_deviations(double usual, int points) {
  std::vector<Deviation> deviations;
  for (int i = 0; i < points; ++i) {
    const double share = smallest_share * std::pow(largest_share / smallest_share,
                                                   static_cast<double>(i) / (points - 1));
    deviations.push_back({share * usual, log_prior(std::log(share))});
  }
  return normalized(std::move(deviations));
}

std::vector<Deviation> deviations_from(double squares, double freedom, double usual) {
  std::vector<Deviation> deviations;
  for (const double value : candidates(squares, freedom, usual)) {
    deviations.push_back({value, log_weight(value, squares, freedom, usual)});
  }
  return normalized(std::move(deviations));
}

std::vector<Deviation> deviations_of_two(double difference, double usual, double usual_excess) {
  const auto excesses = prior_deviations(usual_excess, grid);
  auto deviations = prior_deviations(usual, grid);
  for (auto& one : deviations) {
    double density = 0;
    for (const auto& excess : excesses) {
      const double variance = 2 * one.value * one.value + excess.value * excess.value;
      density += excess.probability * std::exp(-difference * difference / (2 * variance)) /
                 std::sqrt(variance);
    }
    one.probability = std::log(one.probability) + std::log(density);
  }
  return normalized(std::move(deviations));
}

std::vector<Deviation> in_groups(const std::vector<Deviation>& deviations, std::size_t groups) {
  const auto together = (deviations.size() + groups - 1) / groups;
  std::vector<Deviation> some;
  for (std::size_t i = 0; i < deviations.size(); i += together) {
    Deviation group;
    for (std::size_t j = i; j < std::min(i + together, deviations.size()); ++j) {
      group.probability += deviations[j].probability;
      group.value += deviations[j].probability * square(deviations[j].value);
    }
    group.value = std::sqrt(group.value / group.probability);
    some.push_back(group);
  }
  return some;
}

double log_evidence(double squares, double freedom, double usual) {
  constexpr int points = 400;
  std::vector<double> weights;
  for (int i = 0; i < points; ++i) {
    const double share = smallest_share * std::pow(largest_share / smallest_share,
                                                   static_cast<double>(i) / (points - 1));
    weights.push_back(log_weight(share * usual, squares, freedom, usual));
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (const double weight : weights) {
    sum += std::exp(weight - largest);
  }
  return largest + std::log(sum);
}

}  // namespace epochcast::forecast
