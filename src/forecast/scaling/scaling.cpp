#include "src/forecast/scaling/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/scaling/last_doubling.hpp"
#include "src/forecast/scaling/law_error.hpp"
#include "src/forecast/scaling/step_terms.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::forecast {
namespace {

/// The times that workers need for their part of the work.
std::vector<SettingTime> setting_times(const std::vector<ScalingPoint>& points) {
  std::vector<SettingTime> times;
  for (const auto& point : points) {
    times.push_back(
        {{.workers = point.workers, .nodes = point.nodes}, point.workers / point.throughput});
  }
  return times;
}

double throughput_by(const FittedStepLaw& law, double workers, double nodes) {
  return workers / law.step_s({.workers = workers, .nodes = nodes});
}

/// The error of each point, in logarithms, if it is predicted from all others.
std::vector<double> errors_left_out(const StepTerms& terms,
                                    const std::vector<ScalingPoint>& points) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto others = setting_times(points);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double guess =
        throughput_by(fitted_law(terms, others), points[i].workers, points[i].nodes);
    errors.push_back(std::log(guess / points[i].throughput));
  }
  return errors;
}

/// A model to be judged.
struct Candidate {
  std::string name;
  FittedStepLaw law;
  std::vector<double> errors;  ///< Leave-one-out error of each point; empty with two points.
  double throughput = 0;       ///< At the requested number of workers.

  LawError error() const {
    return law_error(sum_of_squares(errors), static_cast<double>(errors.size()));
  }
};

/// All models with fewer coefficients than measured numbers of workers, so that their error can be
/// estimated; with two numbers, all models with two coefficients or fewer.
std::vector<Candidate> candidates(const std::vector<ScalingPoint>& points, std::size_t sizes,
                                  bool with_nodes, const ScalingQuestion& question) {
  std::vector<Candidate> found;
  for (const auto& [name, terms] : scaling_laws(with_nodes)) {
    if (terms.size() < std::max<std::size_t>(3, sizes)) {
      const auto law = fitted_law(terms, setting_times(points));
      found.push_back({name, law,
                       sizes < 3 ? std::vector<double>{} : errors_left_out(terms, points),
                       throughput_by(law, question.workers, question.nodes)});
    }
  }
  return found;
}

/// The model with the least error; the earlier of equals. If there are no errors to compare (two
/// points), the ring, which lies between the others.
const Candidate& best_of(const std::vector<Candidate>& found) {
  if (found.front().errors.empty()) {
    return found[1];
  }
  return *std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return sum_of_squares(a.errors) < sum_of_squares(b.errors);
  });
}

std::vector<RivalLaw> rivals_of(const std::vector<Candidate>& found, const Candidate& best) {
  std::vector<RivalLaw> rivals;
  for (const auto& one : found) {
    rivals.push_back({std::log(one.throughput / best.throughput), one.error().variance});
  }
  return rivals;
}

double most_nodes(const std::vector<ScalingPoint>& points) {
  return std::max_element(points.begin(), points.end(),
                          [](const auto& a, const auto& b) { return a.nodes < b.nodes; })
      ->nodes;
}

/// The forecast of the model and its uncertainty.
struct ModelThroughput {
  double throughput;
  double deviation;
};

/// Whether more nodes are requested than were measured, and only one number of nodes was measured,
/// so that the cost of an additional node is not known.
bool is_beyond_border(const std::vector<ScalingPoint>& points, const ScalingQuestion& question) {
  const bool one_number = std::all_of(points.begin(), points.end(), [&](const auto& point) {
    return point.nodes == points.front().nodes;
  });
  return one_number && question.nodes > points.front().nodes;
}

/// Beyond that border, the additional nodes add at least nothing and at most what they would add on
/// the measured nodes. Takes the midpoint of both in logarithms; the two are the ends of the 80 %
/// interval.
void cross_border(ModelThroughput& answer, const FittedStepLaw& law, double measured,
                  const ScalingQuestion& question) {
  const double alone = throughput_by(law, question.workers * measured / question.nodes, measured);
  const double together = throughput_by(law, question.workers, measured);
  answer.throughput = std::sqrt(alone * together);
  answer.deviation =
      std::hypot(answer.deviation, std::log(together / alone) / 2 / normal_half_width(0.80));
}

std::vector<std::string> warnings(const std::vector<ScalingPoint>& points,
                                  const ScalingQuestion& question, double largest) {
  std::vector<std::string> reasons;
  if (question.workers > 2 * largest) {
    reasons.push_back(
        fmt::format("{:g} is more than twice the {:g} measured", question.workers, largest));
  }
  if (question.nodes > most_nodes(points)) {
    reasons.push_back(fmt::format(
        "{:g} nodes; {:g} were measured{}", question.nodes, most_nodes(points),
        is_beyond_border(points, question)
            ? ": the interval reaches from no gain to the gain on one node; a run on as many "
              "nodes, or its probes, makes it narrower"
            : ""));
  }
  const auto borders = beyond_borders(question.borders, largest, question.workers);
  reasons.insert(reasons.end(), borders.begin(), borders.end());
  return reasons;
}

/// Those on no more nodes than asked for: how little more nodes win says nothing about fewer.
MeanThroughputs means_of(const std::vector<ScalingPoint>& points, double most_nodes) {
  std::map<double, std::vector<double>> all;
  for (const auto& point : points) {
    if (point.nodes <= most_nodes) {
      all[point.workers].push_back(point.throughput);
    }
  }
  MeanThroughputs means;
  for (const auto& [workers, throughputs] : all) {
    means[workers] = *mean(throughputs);
  }
  return means;
}

/// Why there is no forecast of `asked` workers: the most that were measured did less than fewer.
std::optional<Refusal> slower_with_more(const MeanThroughputs& means, double asked) {
  const auto& [most, with_most] = *means.rbegin();
  const auto& [best, with_best] = best_measured(means);
  if (asked <= best || with_best <= (1 + machine_tolerance) * with_most) {
    return std::nullopt;
  }
  return Refusal{fmt::format(
      "{:g} workers were slower than {:g}, which did {:.3g} times as much per second: more than "
      "{:g} do not help this training, and how much slower {:g} are cannot be told from runs on "
      "fewer",
      most, best, with_best / with_most, best, asked)};
}

/// Leaves out of the intervals what is faster than each worker at the best that was measured.
void leave_out_impossible(Prediction& throughput, const MeanThroughputs& means, double asked) {
  double each = 0;
  for (const auto& [workers, together] : means) {
    each = std::max(each, together / workers);
  }
  const double most = (1 + machine_tolerance) * noise_of(means) * asked * each;
  for (auto* interval : {&throughput.interval_80, &throughput.interval_95}) {
    interval->high = std::min(interval->high, std::max(most, throughput.value));
  }
}

}  // namespace

std::variant<ScalingForecast, Refusal> scaling_forecast(const std::vector<ScalingPoint>& points,
                                                        const ScalingQuestion& question) {
  std::set<double> sizes;
  std::set<double> nodes;
  for (const auto& point : points) {
    if (!(point.workers > 0) || !(point.throughput > 0) ||
        !std::isfinite(point.workers / point.throughput)) {
      return Refusal{"a number of workers or a throughput is not above 0"};
    }
    sizes.insert(point.workers);
    nodes.insert(point.nodes);
  }
  if (sizes.empty() || !(question.workers > 0)) {
    return Refusal{"no number of workers"};
  }
  const double largest = *sizes.rbegin();
  if (sizes.size() < 2 && question.workers != largest) {
    return Refusal{"one number of workers is not enough to forecast another"};
  }
  if (sizes.size() < 3 && question.workers > 2 * largest) {
    return Refusal{
        fmt::format("{:g} workers are more than twice the {:g} measured: such a forecast "
                    "needs runs on at least 3 numbers of workers",
                    question.workers, largest)};
  }
  const auto means = means_of(points, question.nodes);
  if (auto refusal = means.empty() ? std::nullopt : slower_with_more(means, question.workers)) {
    return *refusal;
  }
  const auto laws = candidates(points, sizes.size(), nodes.size() > 1, question);
  const auto& best = best_of(laws);
  const double doublings = std::max(1.0, std::log2(question.workers / largest));
  ModelThroughput answer{.throughput = best.throughput,
                         .deviation = std::hypot(doublings * std::sqrt(best.error().variance),
                                                 std::sqrt(disagreement(rivals_of(laws, best))))};
  if (is_beyond_border(points, question)) {
    cross_border(answer, best.law, points.front().nodes, question);
  }
  ScalingForecast found{
      .throughput = {}, .law = best.name, .reasons = warnings(points, question, largest)};
  if (means.size() > 1) {
    const auto limit = limit_of(means, question.workers);
    if (limit.is_below(answer.throughput)) {
      answer.throughput = limit.throughput;
      found.law = "the last doubling";
      found.reasons.insert(found.reasons.begin(), limit.reason);
    }
  }
  found.throughput = law_prediction(answer.throughput, answer.deviation,
                                    std::max(law_freedom, static_cast<double>(best.errors.size())));
  if (!means.empty()) {
    leave_out_impossible(found.throughput, means, question.workers);
  }
  return found;
}

std::vector<std::string> beyond_borders(const std::vector<Border>& borders, double largest,
                                        double asked) {
  std::vector<std::string> lines;
  for (const auto& border : borders) {
    if (largest <= border.workers && asked > border.workers) {
      lines.push_back(fmt::format("beyond {:g} begin {}, which was not measured", border.workers,
                                  border.beyond));
    }
  }
  return lines;
}

}  // namespace epochcast::forecast
