#include "src/record/run/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/config/packed_fields.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::run {

void check_allocation_name(std::string_view name) {
  constexpr std::size_t longest = 63;
  const bool has_control = std::ranges::any_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (trim(name).empty() || has_control) {
    throw Error(fmt::format("allocation: found the name '{}', expected one line of text", name));
  }
  if (name.size() > longest) {
    throw Error(fmt::format("allocation: found the name '{}' of {} bytes, expected at most {}",
                            name, name.size(), longest));
  }
}

std::vector<std::string> partitions_of(const Allocation& allocation) {
  return split(allocation.partition, ',');
}

std::string pack(const Allocation& allocation) {
  return pack_fields(allocation);
}

Allocation unpack_allocation(std::string_view text) {
  return unpack_fields<Allocation>(text);
}

}  // namespace epochcast::run
