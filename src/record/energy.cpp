#include "src/record/energy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "src/base/core/statistics.hpp"
#include "src/record/queries.hpp"

namespace epochcast::record {
namespace {

std::string rank_node(const Record& record, std::int64_t rank) {
  const auto found = std::ranges::find(record.machines, rank, &Machine::rank);
  return found == record.machines.end() ? "" : found->boot_id.str();
}

std::optional<double> median_of_energies(const std::vector<double>& values) {
  const auto summary = summarize(values);
  return summary ? std::optional(summary->median) : std::nullopt;
}

}  // namespace

std::optional<double> EpochEnergy::total_j(bool used_gpu) const {
  if (!cpu_j || (used_gpu && !gpu_j)) {
    return std::nullopt;
  }
  return *cpu_j + gpu_j.value_or(0);
}

EpochEnergy epoch_energy(const Record& record, std::int64_t epoch) {
  std::map<std::string, double> of_node;  // NaN until a row of the node has it
  double gpus_j = 0;
  for (const auto& row : record.usage) {
    if (row.epoch != epoch) {
      continue;
    }
    auto& node = of_node.try_emplace(rank_node(record, row.rank), not_measured).first->second;
    node = std::isnan(node) ? row.cpu_energy_j : node;
    gpus_j += row.gpu_energy_j;
  }
  double nodes_j = of_node.empty() ? not_measured : 0;
  for (const auto& [name, energy_j] : of_node) {
    nodes_j += energy_j;
  }
  const auto known = [](double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
  };
  return {known(nodes_j), of_node.empty() ? std::nullopt : known(gpus_j)};
}

RunEnergy run_energy(const Record& record) {
  std::vector<double> cpu, gpu, total, of_sample, power;
  for (const auto& epoch : record.epochs) {
    const auto energy = epoch_energy(record, epoch.epoch);
    if (energy.cpu_j) {
      cpu.push_back(*energy.cpu_j);
    }
    if (energy.gpu_j) {
      gpu.push_back(*energy.gpu_j);
    }
    const auto sum_j = energy.total_j(used_gpu(record));
    if (!sum_j) {
      continue;
    }
    total.push_back(*sum_j);
    if (epoch.samples > 0) {
      of_sample.push_back(*sum_j / static_cast<double>(epoch.samples));
    }
    if (const double time_s = epoch.wall_s + epoch.evaluate_s + epoch.checkpoint_s; time_s > 0) {
      power.push_back(*sum_j / time_s);
    }
  }
  return {.epochs = std::max({cpu.size(), gpu.size(), total.size()}),
          .cpu_j_per_epoch = median_of_energies(cpu),
          .gpu_j_per_epoch = median_of_energies(gpu),
          .j_per_epoch = median_of_energies(total),
          .j_per_sample = median_of_energies(of_sample),
          .mean_w = median_of_energies(power)};
}

}  // namespace epochcast::record
