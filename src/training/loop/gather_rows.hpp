// Gathers rows of the record on rank 0.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "src/training/loop/team.hpp"

namespace epochcast::train {

/// Called by all ranks together. Returns the rows of every rank, by rank, on rank 0; an empty
/// vector on other ranks. Rows are sent as raw memory: the rendezvous checks that all ranks run the
/// same program.
template <class Row>
std::vector<std::vector<Row>> gather_rows(Team& team, const std::vector<Row>& own) {
  static_assert(std::is_trivially_copyable_v<Row>);
  const std::string bytes(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Row));
  std::vector<std::vector<Row>> all;
  for (const auto& packed : team.gather(bytes)) {
    auto& rows = all.emplace_back(packed.size() / sizeof(Row));
    if (!rows.empty()) {
      std::memcpy(rows.data(), packed.data(), packed.size());
    }
  }
  return all;
}

}  // namespace epochcast::train
