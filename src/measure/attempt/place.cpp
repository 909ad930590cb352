#include "src/measure/attempt/place.hpp"

#include <fmt/format.h>

#include "src/base/core/error.hpp"
#include "src/slurm/host_list.hpp"

namespace epochcast::attempt {
namespace {

constexpr std::int64_t largest_port = 65535;

std::string required(const slurm::Environment& environment, const std::string& name,
                     const std::string& because) {
  const auto value = slurm::variable(environment, name);
  if (value.empty()) {
    throw Error(fmt::format("{} is not set in the environment, although {} is set", name, because));
  }
  return value;
}

std::int64_t required_count(const slurm::Environment& environment, const std::string& name,
                            const std::string& because) {
  required(environment, name, because);
  return slurm::count_variable(environment, name);
}

constexpr const char* this_machine = "127.0.0.1";

std::string first_host_of_step(const slurm::Environment& environment) {
  const auto hosts =
      slurm::expand_host_list(required(environment, "SLURM_STEP_NODELIST", "SLURM_STEP_NUM_TASKS"));
  if (hosts.empty()) {
    throw Error("SLURM_STEP_NODELIST in the environment lists no host");
  }
  return hosts.size() == 1 ? this_machine : hosts.front();
}

RankPlace place_of_torchrun(const slurm::Environment& environment) {
  RankPlace place{.rank = required_count(environment, "RANK", "WORLD_SIZE"),
                  .size = required_count(environment, "WORLD_SIZE", "RANK"),
                  .local_rank = required_count(environment, "LOCAL_RANK", "RANK"),
                  .rendezvous_host = required(environment, "MASTER_ADDR", "RANK"),
                  .rendezvous_port = required_count(environment, "MASTER_PORT", "RANK")};
  place.run = fmt::format("port-{}", place.rendezvous_port);
  if (slurm::count_variable(environment, "LOCAL_WORLD_SIZE") == place.size) {
    place.rendezvous_host = this_machine;
  }
  return place;
}

RankPlace place_of_step(const slurm::Environment& environment) {
  return {.rank = required_count(environment, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
          .size = slurm::count_variable(environment, "SLURM_STEP_NUM_TASKS"),
          .local_rank = required_count(environment, "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS"),
          .rendezvous_host = first_host_of_step(environment),
          .rendezvous_port = slurm::count_variable(environment, "MASTER_PORT"),
          .run = fmt::format("{}.{}", slurm::variable(environment, "SLURM_JOB_ID"),
                             slurm::variable(environment, "SLURM_STEP_ID"))};
}

RankPlace checked(const RankPlace& place) {
  if (place.size < 1 || place.rank >= place.size) {
    throw Error(
        fmt::format("found rank {} of {} in the environment, expected a rank from 0 to below the "
                    "number of ranks",
                    place.rank, place.size));
  }
  if (place.size > 1 && place.rendezvous_port > largest_port) {
    throw Error(
        fmt::format("MASTER_PORT in the environment: found {}, expected a port from 1 to {}",
                    place.rendezvous_port, largest_port));
  }
  return place;
}

}  // namespace

RankPlace read_rank_place(const slurm::Environment& environment) {
  if (!slurm::variable(environment, "RANK").empty() ||
      !slurm::variable(environment, "WORLD_SIZE").empty()) {
    return checked(place_of_torchrun(environment));
  }
  return slurm::count_variable(environment, "SLURM_STEP_NUM_TASKS") > 1
             ? checked(place_of_step(environment))
             : RankPlace{};
}

}  // namespace epochcast::attempt
