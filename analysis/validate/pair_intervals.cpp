#include "analysis/validate/pair_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace epochcast::analysis {
namespace {

constexpr std::size_t fewest_learned_pairs = 3;

using forecast::Prediction;
using DevicePair = std::pair<std::string, std::string>;

DevicePair device_pair(const DeviceQuestion& question) {
  return std::minmax(question.from, question.to);
}

bool has_intervals(const std::optional<Prediction>& prediction) {
  return prediction && prediction->interval_80.is_known() && prediction->interval_95.is_known();
}

/// How many half-widths the outcome is away.
struct PairScores {
  std::vector<double> of_80;
  std::vector<double> of_95;
};

double log_width(const Prediction& prediction, forecast::Interval Prediction::*level) {
  return std::log((prediction.*level).high / prediction.value);
}

std::map<DevicePair, PairScores> scores_by_pair(const Method& method,
                                                const std::vector<DeviceQuestion>& questions) {
  std::map<DevicePair, PairScores> scores;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& prediction = method.predictions[i];
    if (has_intervals(prediction)) {
      auto& pair = scores[device_pair(questions[i])];
      const double error = std::abs(std::log(questions[i].there_s() / prediction->value));
      pair.of_80.push_back(error / log_width(*prediction, &Prediction::interval_80));
      pair.of_95.push_back(error / log_width(*prediction, &Prediction::interval_95));
    }
  }
  return scores;
}

double stretch_from_others(const DevicePair& left_out,
                           const std::map<DevicePair, PairScores>& scores,
                           std::vector<double> PairScores::*level, double probability) {
  std::vector<WeightedValue> values;
  for (const auto& [pair, errors] : scores) {
    for (const double error : errors.*level) {
      if (pair != left_out) {
        values.push_back({error, 1 / static_cast<double>((errors.*level).size())});
      }
    }
  }
  return weighted_quantile(std::move(values), probability);
}

}  // namespace

double weighted_quantile(std::vector<WeightedValue> values, double probability) {
  if (values.empty()) {
    throw std::logic_error("weighted_quantile: no values");
  }
  std::sort(values.begin(), values.end(),
            [](const auto& a, const auto& b) { return a.value < b.value; });
  double total = 0;
  for (const auto& one : values) {
    total += one.weight;
  }
  double sum = 0;
  for (const auto& one : values) {
    sum += one.weight;
    if (sum >= probability * total) {
      return one.value;
    }
  }
  return values.back().value;
}

std::optional<Method> learnt_from_other_pairs(const Method& method,
                                              const std::vector<DeviceQuestion>& questions) {
  const auto scores = scores_by_pair(method, questions);
  if (scores.size() < fewest_learned_pairs) {
    return std::nullopt;
  }
  std::map<DevicePair, std::pair<double, double>> factors;
  for (const auto& [pair, unused] : scores) {
    factors[pair] = {stretch_from_others(pair, scores, &PairScores::of_80, 0.80),
                     stretch_from_others(pair, scores, &PairScores::of_95, 0.95)};
  }
  Method learned{method.name + ", intervals learnt from other pairs", method.predictions};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (auto& prediction = learned.predictions[i]; has_intervals(prediction)) {
      const auto& [of_80, of_95] = factors.at(device_pair(questions[i]));
      prediction = forecast::with_log_widths(
          prediction->value, of_80 * log_width(*prediction, &Prediction::interval_80),
          of_95 * log_width(*prediction, &Prediction::interval_95));
    }
  }
  return learned;
}

}  // namespace epochcast::analysis
