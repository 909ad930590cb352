#include "src/training/torch/profile/thread_wake.hpp"

#include <algorithm>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/statistics.hpp"
#include "src/training/torch/base/torch.hpp"

namespace epochcast::libtorch {
namespace {

std::vector<int> wake_thread_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) {
    counts.push_back(count);
  }
  counts.push_back(most);
  return counts;
}

/// Seconds of the operator on so many threads: the median over bunches, which are long against the
/// clock.
double operator_s(const torch::Tensor& rows, int threads, double budget_s) {
  constexpr int bunch = 100;
  at::set_num_threads(threads);
  const SteadyClock clock;
  const auto bunch_s = [&] {
    const double start_s = clock.now_s();
    for (int i = 0; i < bunch; ++i) {
      at::native_layer_norm(rows, {rows.size(1)}, {}, {}, 1e-5);
    }
    return (clock.now_s() - start_s) / bunch;
  };
  const double end_s = clock.now_s() + budget_s;
  bunch_s();  // starts the threads
  std::vector<double> times_s{bunch_s()};
  while (clock.now_s() < end_s) {
    times_s.push_back(bunch_s());
  }
  return median_of(std::move(times_s));
}

}  // namespace

double thread_wake_s(int threads, double budget_s) {
  const auto counts = wake_thread_counts(threads);
  const double each_s = budget_s / static_cast<double>(counts.size());
  const torch::NoGradGuard no_grad;
  const auto rows = torch::ones({threads, 8});
  const double alone_s = operator_s(rows, 1, each_s);
  double products = 0;
  double squares = 0;
  for (const int count : counts) {
    if (count > 1) {
      products += (count - 1) * (operator_s(rows, count, each_s) - alone_s);
      squares += (count - 1.0) * (count - 1.0);
    }
  }
  at::set_num_threads(threads);
  return std::max(0.0, products / squares);
}

}  // namespace epochcast::libtorch
