#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "jobs/submit/check.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/device/gpu_code.hpp"
#include "src/forecast/device/match.hpp"

namespace epochcast::jobs {
namespace {

/// A LibTorch that this project builds with, and what `epochcast-train --version` of it says.
struct KnownLibTorch {
  std::string_view preset;
  std::string_view name;
  std::string_view code;
};
constexpr std::array known_libtorches{
    KnownLibTorch{"release", "LibTorch 2.11", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
    KnownLibTorch{"torch27", "LibTorch 2.7", "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"}};

/// The compute capability, times 10, from which on cards compute in bf16.
constexpr std::int64_t first_with_bf16 = 80;

/// The cards that the GPU type of a site may mean.
std::vector<device::Device> cards_of(const std::string& gpu) {
  const auto database = device::read_device_database(device::device_database_folder());
  const auto match = device::match_device(database, {.name = gpu});
  std::vector<device::Device> cards;
  if (match.device != nullptr) {
    cards.push_back(*match.device);
  }
  for (const auto* other : match.others) {
    cards.push_back(*other);
  }
  return cards;
}

bool runs_on_any(const std::vector<std::string>& code, const std::vector<device::Device>& cards) {
  return std::ranges::any_of(cards, [&](const device::Device& card) {
    return device::has_code_for(code, card.architecture);
  });
}

std::string fix_for(const std::vector<device::Device>& cards) {
  const auto fitting = std::ranges::find_if(known_libtorches, [&](const KnownLibTorch& libtorch) {
    return runs_on_any(split(libtorch.code, ' '), cards);
  });
  const auto with = cards.empty() || fitting == known_libtorches.end()
                        ? std::string("CUDA")
                        : fmt::format("{} for CUDA, which the preset '{}' builds with",
                                      fitting->name, fitting->preset);
  return fmt::format(
      "set 'trainer' or 'torch' of the allocation to one with {} "
      "(docs/howto/install.md), or generate with --set device=cpu",
      with);
}

}  // namespace

std::optional<Problem> gpu_problem(const AllocationProfile& site, const std::string& program,
                                   const std::string& version) {
  const auto cards = cards_of(site.asks.gpu);
  const auto support = device::cuda_support_in(version);
  if (!support) {
    return std::nullopt;
  }
  if (!support->loads) {
    return Problem{site.name,
                   fmt::format("the trainer '{}' cannot use a GPU: it is {}", program,
                               device::to_text(*support)),
                   fix_for(cards)};
  }
  const bool known = !support->code.empty() && !cards.empty() &&
                     std::ranges::all_of(cards, [](const device::Device& card) {
                       return card.architecture.starts_with("sm_");
                     });
  if (!known || runs_on_any(support->code, cards)) {
    return std::nullopt;
  }
  return Problem{
      site.name,
      fmt::format("the LibTorch of the trainer '{}' has no code for the GPU '{}' ({}): "
                  "it has code for {}",
                  program, site.asks.gpu, cards.front().architecture, join(support->code, " ")),
      fix_for(cards)};
}

std::optional<Problem> bf16_problem(const AllocationProfile& site) {
  const auto cards = cards_of(site.asks.gpu);
  const bool lacks = !cards.empty() && std::ranges::all_of(cards, [](const device::Device& card) {
    const std::string_view architecture = card.architecture;
    return architecture.starts_with("sm_") &&
           parse_integer(architecture.substr(3)).value_or(first_with_bf16) < first_with_bf16;
  });
  return lacks ? std::optional(
                     Problem{site.name,
                             fmt::format("the GPU '{}' ({}) has no bf16 arithmetic, which LibTorch "
                                         "emulates, slower than fp32",
                                         site.asks.gpu, cards.front().architecture),
                             "generate again with --set precision=fp16, or fp32"})
               : std::nullopt;
}

}  // namespace epochcast::jobs
