#include "src/base/process/own_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::process {
namespace {

/// A mapping of a file that nobody may write, of which no page was ever changed. A page of any
/// other one would be lost.
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool may_be_dropped = false;
};

/// "55d0c000-55d0d000 r-xp 00000000 08:01 123   /usr/bin/x"; std::nullopt for any other line.
std::optional<Mapping> mapping_in(std::string_view line) {
  Mapping mapping;
  const auto* last = line.data() + line.size();
  const auto [dash, begin_error] = std::from_chars(line.data(), last, mapping.begin, 16);
  if (begin_error != std::errc() || dash == last || *dash != '-') {
    return std::nullopt;
  }
  const auto [space, end_error] = std::from_chars(dash + 1, last, mapping.end, 16);
  const std::string_view rest(space, static_cast<std::size_t>(last - space));
  mapping.may_be_dropped = (rest.starts_with(" r-xp ") || rest.starts_with(" r--p ")) &&
                           rest.find(" /") != std::string_view::npos;
  return end_error == std::errc() ? std::optional(mapping) : std::nullopt;
}

}  // namespace

void share_one_heap() {
  mallopt(M_ARENA_MAX, 1);
}

void release_start_up_memory() {
  malloc_trim(0);
  std::ifstream maps("/proc/self/smaps");
  Mapping mapping;
  for (std::string line; std::getline(maps, line);) {
    if (const auto found = mapping_in(line)) {
      mapping = *found;
    } else if (mapping.may_be_dropped && line.starts_with("Anonymous:") &&
               line.ends_with(" 0 kB")) {
      madvise(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin, MADV_DONTNEED);
    }
  }
}

}  // namespace epochcast::process
