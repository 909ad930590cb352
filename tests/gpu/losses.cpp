// Our side of the parity checks of tests/gpu/campaign: the losses of the first steps of a training,
// in several ways.
//
// usage: gpu_losses THREADS SEED STEPS WAY,... NAME=VALUE...     (of a run: device=cuda model=mlp
// weights=FILE) A way is PROCEDURE:PRECISION ("optimized:fp32"; the precision tf32 allows TF32
// everywhere, the others nowhere), or group:fp32, in a group of ranks with one rank. Prints
// "way WAY"; seeds all generators with SEED; prints the losses of each step in a line, and "note"
// with what a record would note.
#include <torch/utils.h>
#include <unistd.h>

#include <iostream>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/torch/parallel/rank_group.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/bench/settings.hpp"

namespace {

using namespace epochcast;

/// All of NCCL but other ranks, which need GPUs of their own.
std::unique_ptr<libtorch::RankGroup> group_of_one(const std::string& device) {
  setenv("GLOO_SOCKET_IFNAME", "lo", 0);  // one rank has no address at which another reached it
  return std::make_unique<libtorch::RankGroup>(libtorch::RankGroupOptions{
      .place = {.rendezvous_host = "127.0.0.1", .run = "losses"},
      .me = {.host = "127.0.0.1", .process = getpid(), .program = "gpu_losses"},
      .device = torch::Device(device),
      .secret = "of one",
      .rendezvous_s = 60});
}

void print_losses(const std::string& way, int threads, std::uint64_t seed, int steps,
                  run::RunConfig config) {
  const auto procedure = way.substr(0, way.find(':'));
  const auto precision = way.substr(way.find(':') + 1);
  const bool tf32 = precision == "tf32";
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
  run::set_field(config, "precision", tf32 ? "fp32" : precision);
  run::set_field(config, "procedure", procedure == "group" ? "optimized" : procedure);
  const auto group = procedure == "group" ? group_of_one(config.device) : nullptr;
  const auto workload = libtorch::make_workload(config, {}, threads, group.get());
  std::cout << "way " << way << '\n';
  torch::manual_seed(seed);
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
    std::cout << std::endl;
  }
  std::cout << "note " << join(workload->notes(), "; ") << '\n';
  if (group) {
    group->leave();
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("gpu_losses", [&] {
    if (argc < 5) {
      throw Error("usage: gpu_losses THREADS SEED STEPS WAY,... NAME=VALUE...");
    }
    std::cout.precision(9);
    for (const auto& way : split(argv[4], ',')) {
      print_losses(way, std::stoi(argv[1]), std::stoull(argv[2]), std::stoi(argv[3]),
                   run_config_of({argv + 5, argv + argc}));
    }
    return exit_done;
  });
}
