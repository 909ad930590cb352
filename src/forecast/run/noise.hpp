// The noise of steps: the posterior of the residual standard deviation, also from few steps.
#pragma once

#include <cstddef>
#include <vector>

namespace epochcast::forecast {

/// One possible standard deviation and its probability.
struct Deviation {
  double value = 0;
  double probability = 0;
};

/// The standard deviations that are possible before a run shows its own, `points` of them (2 or
/// more) at equal distances of their logarithms. Probabilities add up to 1.
std::vector<Deviation> prior_deviations(double usual, int points);

/// The standard deviations that are consistent with residuals whose squares add up to `squares`,
/// with `freedom` degrees of freedom (0: nothing was measured). Bayes' rule on a grid: before the
/// run shows its own noise, the logarithm of the deviation follows Student's t distribution with
/// 3 degrees of freedom about `usual` (above 0), scaled by spread_of_deviations, since some runs
/// are ten times as noisy as others. Probabilities add up to 1.
std::vector<Deviation> deviations_from(double squares, double freedom, double usual);

/// Neighboring deviations as one, which has their mean square, so that no more than `groups` (1 or
/// more) are left.
std::vector<Deviation> in_groups(const std::vector<Deviation>& deviations, std::size_t groups);

/// The logarithm of the probability density of such residuals, up to a constant that depends on
/// `freedom` alone: over the same prior, integrated by a grid that resolves 2000 degrees of
/// freedom.
double log_evidence(double squares, double freedom, double usual);

/// The standard deviations of the noise of two steps, the first of which may also differ in the
/// way of first steps: by a normal value whose standard deviation follows such a prior about
/// `usual_excess` (above 0). A large difference is rather the one or the other, depending on which
/// of the two priors extends so far. Probabilities add up to 1.
std::vector<Deviation> deviations_of_two(double difference, double usual, double usual_excess);

}  // namespace epochcast::forecast
