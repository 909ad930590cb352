#include "src/progress/hints.hpp"

#include <algorithm>

namespace epochcast::progress {
namespace {

std::size_t pair_of(const char* bytes) {
  return static_cast<unsigned char>(bytes[0]) |
         static_cast<std::size_t>(static_cast<unsigned char>(bytes[1])) << 8U;
}

}  // namespace

Hints::Hints(const std::vector<std::string>& texts) : texts_(texts) {
  std::sort(texts_.begin(), texts_.end());
  texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
  for (const auto& text : texts_) {
    pairs_.set(pair_of(text.data()));
  }
}

bool Hints::at(std::string_view bytes, std::size_t place) const {
  const auto rest = bytes.substr(place);
  return std::ranges::any_of(texts_, [&](const auto& text) { return rest.starts_with(text); });
}

std::size_t Hints::find(std::string_view bytes, std::size_t from) const {
  for (std::size_t place = from; place + 1 < bytes.size(); ++place) {
    if (pairs_[pair_of(bytes.data() + place)] && at(bytes, place)) {
      return place;
    }
  }
  return std::string_view::npos;
}

}  // namespace epochcast::progress
