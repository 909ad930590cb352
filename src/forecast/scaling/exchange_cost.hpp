// The time to exchange gradients between nodes on which no training has run yet, from probes of the
// network between them.
#pragma once

#include <optional>
#include <vector>

namespace epochcast::forecast {

/// One timed all-reduce.
struct ExchangeProbe {
  double ranks = 0;
  double nodes = 0;
  double message_bytes = 0;
  double seconds = 0;
};

/// The time of an all-reduce of `bytes` over `ranks` ranks on `nodes` nodes. It uses the probes on
/// the same number of nodes whose number of ranks is nearest. Latency and bandwidth are fitted by
/// non-negative least squares of relative errors and converted to `ranks` as in a ring, which sends
/// 2 (n - 1) messages of 1 / n of the data each (Patarasuk and Yuan 2009). std::nullopt without
/// probes of two message sizes on that number of nodes.
std::optional<double> all_reduce_s(const std::vector<ExchangeProbe>& probes, double ranks,
                                   double nodes, double bytes);

/// A step of a data-parallel training, as the mean over ranks.
struct ExchangedStep {
  double ranks = 0;
  double nodes = 0;
  double own_s = 0;  ///< Without waiting for other ranks.
  /// Waiting for the gradients of other ranks: the part that the backward pass did not hide.
  double gradient_sync_wait_s = 0;
  double gradient_bytes = 0;

  double step_s() const { return own_s + gradient_sync_wait_s; }
};

/// The step on other nodes, with the same number of ranks per node.
struct StepOnNodes {
  double step_s = 0;
  double deviation = 0;  ///< Standard deviation of the logarithm of step_s.
};

/// Converts `measured` to other numbers of ranks and nodes. own_s stays the same, and so does the
/// fraction of an all-reduce that the step waited for. The backward pass can hide at most its own
/// length, two thirds of a step's arithmetic by count; the interval reaches from hiding that much
/// to hiding nothing. std::nullopt if the probes do not cover both numbers of nodes.
std::optional<StepOnNodes> step_on_nodes(const ExchangedStep& measured,
                                         const std::vector<ExchangeProbe>& probes, double ranks,
                                         double nodes);

}  // namespace epochcast::forecast
