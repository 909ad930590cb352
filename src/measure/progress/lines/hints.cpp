#include "src/measure/progress/lines/hints.hpp"

#include <algorithm>

namespace epochcast::progress {
namespace {

std::size_t pair_of(const char* bytes) {
  return static_cast<unsigned char>(bytes[0]) |
         static_cast<std::size_t>(static_cast<unsigned char>(bytes[1])) << 8U;
}

std::size_t first_pair(const std::string& text) {
  return pair_of(text.data());
}

}  // namespace

Hints::Hints(const std::vector<std::string>& texts) {
  for (const auto& text : texts) {
    const bool found_by_other = std::ranges::any_of(texts, [&](const auto& other) {
      return other.size() < text.size() && text.find(other) != std::string::npos;
    });
    if (!found_by_other && std::ranges::find(texts_, text) == texts_.end()) {
      texts_.push_back(text);
      pairs_.set(pair_of(text.data()));
    }
  }
  std::ranges::sort(texts_, {}, first_pair);
}

bool Hints::at(std::string_view bytes, std::size_t place) const {
  const auto rest = bytes.substr(place);
  return std::ranges::any_of(std::ranges::equal_range(texts_, pair_of(rest.data()), {}, first_pair),
                             [&](const auto& text) { return rest.starts_with(text); });
}

std::size_t Hints::find(std::string_view bytes, std::size_t from) const {
  const auto size = bytes.size();
  const char* const first = bytes.data();
  std::size_t place = from;
  const auto found = [&](std::size_t at_place) {
    return pairs_[pair_of(first + at_place)] && at(bytes, at_place);
  };
  for (; place + 4 < size; place += 4) {  // four at once: one branch where there is nothing
    // NOLINTNEXTLINE(clang-diagnostic-bitwise-instead-of-logical)
    const bool any = pairs_[pair_of(first + place)] | pairs_[pair_of(first + place + 1)] |
                     pairs_[pair_of(first + place + 2)] | pairs_[pair_of(first + place + 3)];
    if (any) {
      for (std::size_t next = place; next < place + 4; ++next) {
        if (found(next)) {
          return next;
        }
      }
    }
  }
  for (; place + 1 < size; ++place) {
    if (found(place)) {
      return place;
    }
  }
  return std::string_view::npos;
}

}  // namespace epochcast::progress
