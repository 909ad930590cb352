#include "src/measure/progress/sources/remarks.hpp"

#include <fmt/format.h>

#include "src/base/core/text.hpp"

namespace epochcast::progress::sources {

void Remarks::add(const std::string& kind, const std::string& place) {
  auto& known = kinds_[kind];
  if (known.count++ == 0) {
    known.first = place;
  }
}

std::vector<std::string> Remarks::lines(const std::string& name) const {
  std::vector<std::string> lines;
  for (const auto& [kind, known] : kinds_) {
    lines.push_back(
        printable(fmt::format("{}: {} {}; the first: {}", name, known.count, kind, known.first)));
  }
  return lines;
}

std::int64_t Remarks::count() const {
  std::int64_t count = 0;
  for (const auto& [kind, known] : kinds_) {
    count += known.count;
  }
  return count;
}

}  // namespace epochcast::progress::sources
