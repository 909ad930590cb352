// What exchanging gradients costs between nodes where no training ran yet, from probes of the
// network between them.
#pragma once

#include <optional>
#include <vector>

namespace epochcast::forecast {

/// One all-reduce, timed.
struct ExchangeProbe {
  double ranks = 0;
  double nodes = 0;
  double message_bytes = 0;
  double seconds = 0;
};

/// An all-reduce of `bytes` over `ranks` on `nodes`, from the probes on as many nodes with the
/// nearest number of ranks: latency and bandwidth by non-negative least squares of relative errors,
/// carried to `ranks` as those of a ring go, with 2 (n - 1) messages of a share 1 / n each
/// (Patarasuk and Yuan 2009). Nothing without probes of two sizes on so many nodes.
std::optional<double> all_reduce_s(const std::vector<ExchangeProbe>& probes, double ranks,
                                   double nodes, double bytes);

/// A step of a data-parallel training, the mean over ranks.
struct ExchangedStep {
  double ranks = 0;
  double nodes = 0;
  double own_s = 0;  ///< Without waiting for other ranks.
  double gradient_sync_wait_s =
      0;  ///< Waiting for their gradients: what the backward pass did not hide.
  double gradient_bytes = 0;

  double step_s() const { return own_s + gradient_sync_wait_s; }
};

/// The step with as many ranks a node on other nodes.
struct StepOnNodes {
  double step_s = 0;
  double deviation = 0;  ///< Standard deviation of its logarithm.
};

/// `measured` carried to other ranks and nodes: its own work stays. The share of an all-reduce that
/// it waited for stays too, but no more can hide than the backward pass is long, two thirds of a
/// step's work by count; the interval spans from hiding that much to hiding nothing. Nothing if
/// the probes do not tell of both numbers of nodes.
std::optional<StepOnNodes> step_on_nodes(const ExchangedStep& measured,
                                         const std::vector<ExchangeProbe>& probes, double ranks,
                                         double nodes);

}  // namespace epochcast::forecast
