// How much faster more workers can be, by what the last measured doubling of their number won.
#pragma once

#include <map>
#include <string>

namespace epochcast::forecast {

/// The mean throughput of each number of workers; not empty.
using MeanThroughputs = std::map<double, double>;

MeanThroughputs::value_type best_measured(const MeanThroughputs& means);

/// By how much a throughput may be too low: no worker does more in more company, so where one was
/// measured to, that is noise. 1 where none was.
double noise_of(const MeanThroughputs& means);

/// The most that `means` allow.
struct Limit {
  double throughput = 0;
  double tolerance = 0;  ///< A law may say more by this part.
  std::string reason;    ///< In one line.

  bool is_below(double other) const { return other > (1 + tolerance) * throughput; }
};

/// The most that `asked` workers do by the most that were measured, and by half of these (or the
/// next fewer that were measured). Where the most won no more than machines differ by, or did less
/// than any fewer: the best measured. Else each further worker adds at most what each of that last
/// doubling did: the throughput bends down by Amdahl's law (1967), and up to its maximum by USL
/// (Gunther 1993); that of a ring all-reduce bends up, by less than the tolerance where the
/// exchange takes no longer than the work. `means` are of two numbers of workers at least.
Limit limit_of(const MeanThroughputs& means, double asked);

}  // namespace epochcast::forecast
