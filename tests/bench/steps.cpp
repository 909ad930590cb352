// Our side of tests/bench/dcgan, tests/bench/mlp and tests/bench/classifiers: trains or infers and
// says how long it took.
//
// usage: bench_steps THREADS NAME=VALUE...     (of a run: model=mlp model.depth=6 batch=100)
// Says "ready", then for every line N on stdin does N steps and prints their seconds.
#include <iostream>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/bench/settings.hpp"

namespace {

using namespace epochcast;

/// Goes through the same pass again and again, whose batches bench_case tells.
class Repeater {
 public:
  explicit Repeater(std::unique_ptr<epochcast::train::Workload> workload)
      : workload_(std::move(workload)) {
    workload_->start_epoch(0);
  }

  double seconds_of(int steps) {
    const double start_s = clock_.now_s();
    for (int i = 0; i < steps; ++i) {
      while (workload_->load_batch().samples == 0) {
        workload_->start_epoch(0);
      }
      workload_->step();
    }
    workload_->synchronize();
    return clock_.now_s() - start_s;
  }

 private:
  epochcast::SteadyClock clock_;
  std::unique_ptr<epochcast::train::Workload> workload_;
};

int serve(int threads, const std::vector<std::string>& settings) {
  Repeater repeater(epochcast::libtorch::make_workload(run_config_of(settings), {}, threads));
  repeater.seconds_of(5);  // on a GPU the fourth is captured as a CUDA graph
  std::cout << "ready" << std::endl;
  for (int steps = 0; std::cin >> steps;) {
    std::cout << repeater.seconds_of(steps) << std::endl;
  }
  return epochcast::exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  return epochcast::run_program("bench_steps", [&] {
    if (argc < 2) {
      throw epochcast::Error("usage: bench_steps THREADS NAME=VALUE...");
    }
    return serve(std::stoi(argv[1]), {argv + 2, argv + argc});
  });
}
