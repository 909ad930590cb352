#include "src/forecast/ledger/recorded_runs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_records = 50;  // reading them takes a fraction of a second

}  // namespace

std::vector<std::string> records_of_experiment(const std::string& experiment) {
  std::vector<std::string> paths;
  const auto file = user_ledger();
  const auto rows = file ? read_newest(*file) : std::vector<LedgerRow>();
  for (auto row = rows.rbegin(); row != rows.rend() && paths.size() < most_records; ++row) {
    if (row->experiment != experiment || row->outcome != Outcome::complete) {
      continue;
    }
    const auto path =
        fs::path(row->out) / "records" / fmt::format("{}-{}.h5", row->point, row->job);
    std::error_code error;
    if (fs::exists(path, error)) {
      paths.push_back(path.string());
    }
  }
  return paths;
}

}  // namespace epochcast::ledger
