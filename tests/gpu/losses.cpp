// Our side of the parity checks of tests/gpu/campaign: the loss of each step of a training.
//
// usage: gpu_losses THREADS SEED STEPS NAME=VALUE...     (of a run: device=cuda model=mlp
// weights=FILE) Seeds all generators with SEED before the first step, and prints the losses of each
// step in a line.
#include <torch/utils.h>

#include <iostream>

#include "src/base/core/error.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/bench/settings.hpp"

namespace {

using namespace epochcast;

int print_losses(int threads, std::uint64_t seed, int steps,
                 const std::vector<std::string>& settings) {
  const auto workload = libtorch::make_workload(run_config_of(settings), {}, threads);
  torch::manual_seed(seed);
  std::cout.precision(9);
  for (int step = 0; step < steps; ++step) {
    workload->start_epoch(step);  // its sums start at 0
    if (workload->load_batch().samples == 0) {
      throw Error("the data set is empty");
    }
    workload->step();
    for (const auto& [name, loss] : workload->losses()) {
      if (name.starts_with("loss")) {
        std::cout << loss << ' ';
      }
    }
    std::cout << '\n';
  }
  return exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("gpu_losses", [&] {
    if (argc < 4) {
      throw Error("usage: gpu_losses THREADS SEED STEPS NAME=VALUE...");
    }
    return print_losses(std::stoi(argv[1]), std::stoull(argv[2]), std::stoi(argv[3]),
                        {argv + 4, argv + argc});
  });
}
