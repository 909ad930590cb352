#include "src/training/torch/base/random.hpp"

#include <fmt/format.h>

#include <mutex>

#include "src/base/core/text.hpp"

namespace epochcast::libtorch {

torch::Generator seeded(std::string_view purpose, std::int64_t seed, std::int64_t epoch) {
  return torch::make_generator<at::CPUGeneratorImpl>(
      fnv1a(fmt::format("{}/{}/{}", purpose, seed, epoch)));
}

std::vector<std::int64_t> shuffled_order(std::int64_t samples, std::int64_t seed,
                                         std::int64_t epoch) {
  const auto random = torch::make_generator<at::CPUGeneratorImpl>(std::uint64_t(seed + epoch));
  const auto order = torch::randperm(samples, random, torch::kLong);
  const auto* first = order.const_data_ptr<std::int64_t>();
  return {first, first + samples};
}

void seed_rank(std::int64_t seed, std::int64_t rank) {
  torch::manual_seed(rank == 0 ? std::uint64_t(seed)
                               : fnv1a(fmt::format("rank/{}/{}", seed, rank)));
}

namespace {

/// The default generators by name: "cpu", and "cuda" if that is the device.
std::vector<std::pair<std::string, torch::Generator>> default_generators(
    const torch::Device& device) {
  std::vector<std::pair<std::string, torch::Generator>> generators{
      {"cpu", at::globalContext().defaultGenerator(torch::kCPU)}};
  if (!device.is_cpu()) {
    generators.emplace_back("cuda", at::globalContext().defaultGenerator(device));
  }
  return generators;
}

}  // namespace

NamedTensors random_state(const torch::Device& device) {
  NamedTensors state;
  for (auto& [name, generator] : default_generators(device)) {
    const std::lock_guard lock(generator.mutex());
    state.emplace_back(name, generator.get_state());
  }
  return state;
}

void set_random_state(const NamedTensors& saved, const torch::Device& device) {
  for (auto& [name, generator] : default_generators(device)) {
    for (const auto& [saved_name, state] : saved) {
      if (saved_name == name) {
        const std::lock_guard lock(generator.mutex());
        generator.set_state(state);
      }
    }
  }
}

}  // namespace epochcast::libtorch
