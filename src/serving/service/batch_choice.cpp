#include "src/serving/service/batch_choice.hpp"

#include <algorithm>
#include <cstdlib>

namespace epochcast::serve {
namespace {

constexpr std::int64_t always_similar = 8;  // tokens, whose padding costs less than another batch

bool similar(std::int64_t a, std::int64_t b) {
  const auto [shorter, longer] = std::minmax(a, b);
  return longer <= 2 * shorter + always_similar;
}

}  // namespace

std::vector<std::size_t> choose_batch(std::span<const std::int64_t> lengths, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (similar(lengths[0], lengths[i])) {
      chosen.push_back(i);
    }
  }
  if (chosen.size() > most) {
    std::ranges::stable_sort(chosen.begin() + 1, chosen.end(), {},
                             [&](std::size_t i) { return std::abs(lengths[i] - lengths[0]); });
    chosen.resize(most);
    std::ranges::sort(chosen);
  }
  return chosen;
}

}  // namespace epochcast::serve
