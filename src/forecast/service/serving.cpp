#include "src/forecast/service/serving.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>

#include "src/base/core/random.hpp"
#include "src/base/core/statistics.hpp"

namespace epochcast::forecast {
namespace {

/// Between an answer and the next request of the same user, on one machine.
constexpr double round_trip_s = 1e-4;

/// Their median is the forecast, their range what chance alone makes.
constexpr std::array<std::uint64_t, 5> samples{0, 1, 2, 3, 4};

/// The time that a refused user waits: the least that the header Retry-After can say.
constexpr double retry_s = 1;

/// A request whose inputs wait or are computed.
struct Open {
  double start_s = 0;
  std::int64_t unanswered = 0;  ///< Inputs.
};

/// An input in the queue.
struct Waiting {
  std::size_t request = 0;
  double since_s = 0;
};

/// One service under one traffic. Times count from the first moment of the traffic.
class Simulation {
 public:
  Simulation(const Service& service, const Traffic& traffic, std::uint64_t sample)
      : service_(service), traffic_(traffic), random_(sample) {
    if (traffic.load <= 0 || traffic.time_s <= 0 || traffic.kinds.empty()) {
      throw std::logic_error("simulate: no traffic");
    }
  }

  Served run() {
    start_traffic();
    while (!arrivals_.empty() || !queue_.empty()) {
      if (queue_.empty() || (!arrivals_.empty() && arrivals_.top() <= next_batch_s())) {
        const double now_s = arrivals_.top();
        arrivals_.pop();
        arrive(now_s);
      } else {
        compute();
      }
    }
    return summary();
  }

 private:
  void start_traffic() {
    if (traffic_.arrivals == Arrivals::closed) {
      for (std::int64_t user = 0; user < std::llround(traffic_.load); ++user) {
        arrivals_.push(0);
      }
    } else {
      plan_arrival(0);
    }
  }

  /// The arrival after that at `last_s`, at a rate.
  void plan_arrival(double last_s) {
    const double gaps = traffic_.arrivals == Arrivals::poisson ? random_.exponential() : 1;
    add_arrival(last_s + gaps / traffic_.load);
  }

  void add_arrival(double at_s) {
    if (at_s < traffic_.time_s) {
      arrivals_.push(at_s);
    }
  }

  /// When the next micro-batch starts: when it is full, or its first input has waited long enough.
  double next_batch_s() const {
    const auto most = static_cast<std::size_t>(service_.batch);
    const double ready_s =
        queue_.size() >= most ? queue_[most - 1].since_s : queue_.front().since_s + service_.wait_s;
    return std::max(free_s_, ready_s);
  }

  const RequestKind& draw_kind() {
    double rest = random_.uniform();
    for (const auto& kind : traffic_.kinds) {
      rest -= kind.share;
      if (rest < 0) {
        return kind;
      }
    }
    return traffic_.kinds.back();
  }

  void arrive(double now_s) {
    const auto& kind = draw_kind();
    if (traffic_.arrivals != Arrivals::closed) {
      plan_arrival(now_s);
    }
    const auto waiting = static_cast<std::int64_t>(queue_.size());
    if (kind.cached) {
      answer(now_s, now_s);
    } else if (waiting + kind.inputs > service_.queue) {
      ++served_.refused;
      next_of_user(now_s + retry_s);
    } else {
      requests_.push_back({now_s, kind.inputs});
      queue_.insert(queue_.end(), static_cast<std::size_t>(kind.inputs),
                    Waiting{requests_.size() - 1, now_s});
    }
  }

  void compute() {
    const double start_s = next_batch_s();
    const auto inputs = std::min(queue_.size(), static_cast<std::size_t>(service_.batch));
    const double step_s = service_.cost.step_s(static_cast<double>(inputs));
    free_s_ = start_s + step_s;
    busy_s_ += step_s;
    inputs_ += inputs;
    ++batches_;
    for (std::size_t i = 0; i < inputs; ++i) {
      auto& request = requests_[queue_.front().request];
      queue_.pop_front();
      if (--request.unanswered == 0) {
        answer(request.start_s, free_s_);
      }
    }
  }

  void answer(double start_s, double end_s) {
    const double answered_s = end_s + service_.overhead_s;
    latencies_s_.push_back(answered_s - start_s);
    last_s_ = std::max(last_s_, answered_s);
    next_of_user(answered_s);
  }

  /// The round trip also lets time pass for a user whose answers take none.
  void next_of_user(double now_s) {
    if (traffic_.arrivals == Arrivals::closed) {
      add_arrival(now_s + round_trip_s);
    }
  }

  Served summary() {
    served_.answered = latencies_s_.size();
    if (served_.answered > 0) {
      std::ranges::sort(latencies_s_);
      served_.p50_s = at_share(0.5);
      served_.p99_s = at_share(0.99);
      served_.mean_s = *mean(latencies_s_);
      served_.p99_answered_s = at_rank(0.99 * static_cast<double>(served_.answered));
      served_.per_second = static_cast<double>(served_.answered) / last_s_;
      served_.busy_share = busy_s_ / last_s_;
    }
    if (batches_ > 0) {
      served_.mean_batch = static_cast<double>(inputs_) / static_cast<double>(batches_);
    }
    return served_;
  }

  /// The least latency that so many of all requests do not exceed.
  double at_share(double share) const {
    return at_rank(share * static_cast<double>(served_.answered + served_.refused));
  }

  double at_rank(double requests) const {
    const auto rank = static_cast<std::size_t>(std::ceil(requests));
    return rank <= latencies_s_.size() ? latencies_s_[std::max<std::size_t>(rank, 1) - 1]
                                       : std::numeric_limits<double>::infinity();
  }

  const Service& service_;
  const Traffic& traffic_;
  Random random_;
  std::priority_queue<double, std::vector<double>, std::greater<>> arrivals_;
  std::vector<Open> requests_;
  std::deque<Waiting> queue_;
  double free_s_ = 0;  ///< When the network has finished its micro-batch.
  double busy_s_ = 0;
  double last_s_ = 0;  ///< The last answer.
  std::size_t inputs_ = 0;
  std::size_t batches_ = 0;
  std::vector<double> latencies_s_;
  Served served_;
};

/// Inputs of a request, on average, that reach the network.
double inputs_per_request(const std::vector<RequestKind>& kinds) {
  double inputs = 0;
  for (const auto& kind : kinds) {
    inputs += kind.cached ? 0 : kind.share * static_cast<double>(kind.inputs);
  }
  return inputs;
}

/// Bisects between a load that is kept and one that is not.
double highest_kept(const Service& service, Traffic traffic, double threshold_s, double kept,
                    double broken, std::uint64_t sample) {
  constexpr double accuracy = 0.002;
  const bool whole = traffic.arrivals == Arrivals::closed;
  while (whole ? broken - kept > 1 : broken / kept - 1 > accuracy) {
    traffic.load = whole ? std::floor((kept + broken) / 2) : std::sqrt(kept * broken);
    (simulate(service, traffic, sample).p99_s < threshold_s ? kept : broken) = traffic.load;
  }
  return kept;
}

}  // namespace

Served simulate(const Service& service, const Traffic& traffic, std::uint64_t sample) {
  return Simulation(service, traffic, sample).run();
}

Served simulate_typical(const Service& service, const Traffic& traffic) {
  std::vector<Served> served;
  for (const auto sample : samples) {
    served.push_back(simulate(service, traffic, sample));
  }
  std::ranges::sort(served, {}, &Served::p99_s);
  return served[served.size() / 2];
}

double capacity_per_s(const Service& service, const std::vector<RequestKind>& kinds) {
  const double inputs = inputs_per_request(kinds);
  const auto batch = static_cast<double>(service.batch);
  return inputs > 0 ? batch / service.cost.step_s(batch) / inputs
                    : std::numeric_limits<double>::infinity();
}

std::optional<BreakingLoad> breaking_load(const Service& service, const Traffic& traffic,
                                          double threshold_s) {
  const double capacity = capacity_per_s(service, traffic.kinds);
  auto probe = traffic;
  probe.arrivals = Arrivals::closed;
  probe.load = 1;
  if (!std::isfinite(capacity) || simulate(service, probe).p99_s >= threshold_s) {
    return std::nullopt;
  }
  probe.arrivals = traffic.arrivals;
  const bool closed = traffic.arrivals == Arrivals::closed;
  const double kept = closed ? 1 : capacity / 1000;
  // Beyond twice the capacity, soon either the threshold is passed or the queue is full.
  probe.load = closed ? std::ceil(2 + 2 * capacity * threshold_s) : 2 * capacity;
  while (simulate(service, probe).p99_s < threshold_s) {
    probe.load *= 2;
  }
  std::vector<double> loads;
  for (const auto sample : samples) {
    loads.push_back(highest_kept(service, traffic, threshold_s, kept, probe.load, sample));
  }
  std::ranges::sort(loads);
  return BreakingLoad{loads[loads.size() / 2], loads.front(), loads.back()};
}

}  // namespace epochcast::forecast
