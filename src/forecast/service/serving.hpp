// How long requests to a service take: a queue in front of one network that answers micro-batches.
// No formula is known for batches with a deadline, so a small simulation gives the answer; equal
// questions get equal answers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/base/core/enum_text.hpp"
#include "src/base/core/fields.hpp"
#include "src/forecast/scaling/batch_cost.hpp"

namespace epochcast::forecast {

/// How a service answers.
struct Service {
  BatchCost cost;          ///< Time of a micro-batch by its number of inputs.
  std::int64_t batch = 1;  ///< Most inputs of a micro-batch.
  double wait_s = 0;       ///< Longest time that an input waits for others before it may start.
  std::int64_t queue = 1;  ///< Most inputs that wait; requests beyond are refused.
  double overhead_s = 0;   ///< Time of a request outside of queue and network.
};

/// A kind of request, and how often it comes.
struct RequestKind {
  std::int64_t inputs = 1;
  double share = 1;     ///< Of all requests; the shares of a traffic add up to 1.
  bool cached = false;  ///< Answered from the cache: neither waits nor costs.
};

/// When requests start.
enum class Arrivals {
  closed,    ///< Each of `load` users sends the next when the last is answered.
  constant,  ///< `load` a second, evenly.
  poisson    ///< `load` a second, independently of each other.
};
constexpr auto texts_of(Tag<Arrivals>) {
  return std::array{EnumText<Arrivals>{Arrivals::closed, "closed"},
                    EnumText<Arrivals>{Arrivals::constant, "constant"},
                    EnumText<Arrivals>{Arrivals::poisson, "poisson"}};
}

/// What is sent to a service that was idle before.
struct Traffic {
  Arrivals arrivals = Arrivals::poisson;
  double load = 0;    ///< Requests/s, or users; above 0.
  double time_s = 0;  ///< Requests start for this time; above 0.
  std::vector<RequestKind> kinds = {RequestKind{}};
};

/// What became of the requests.
struct Served {
  std::size_t answered = 0;
  std::size_t refused = 0;
  double p50_s = 0;   ///< Of all requests: one that is refused is never answered, so that this ...
  double p99_s = 0;   ///< ... and this may be infinite. 0: there were no requests.
  double mean_s = 0;  ///< Of the answered ones.
  double p99_answered_s = 0;  ///< Likewise.
  double per_second = 0;      ///< Answered requests in the time until the last answer.
  double mean_batch = 0;      ///< Inputs of a micro-batch; 0: there was none.
  double busy_share = 0;      ///< Of that time, with the network at work.
};

/// Simulates `traffic`. `sample` chooses the random numbers. Throws std::logic_error for traffic
/// without load, time or kinds.
Served simulate(const Service& service, const Traffic& traffic, std::uint64_t sample = 0);

/// Of five samples that with the median p99.
Served simulate_typical(const Service& service, const Traffic& traffic);

/// The most requests a second that the network can answer if every micro-batch is full. Infinite if
/// all are cached.
double capacity_per_s(const Service& service, const std::vector<RequestKind>& kinds);

/// The highest load that a service keeps.
struct BreakingLoad {
  double load = 0;  ///< Median over the samples.
  double low = 0;   ///< Least and most of the samples: chance in a test of this length.
  double high = 0;
};

/// The highest load of `traffic` (its own load is ignored) at which p99 stays below `threshold_s`.
/// std::nullopt if even one user alone waits longer, or if nothing reaches the network.
std::optional<BreakingLoad> breaking_load(const Service& service, const Traffic& traffic,
                                          double threshold_s);

}  // namespace epochcast::forecast
