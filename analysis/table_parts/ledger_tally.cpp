#include "analysis/table_parts/ledger_tally.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::analysis {
namespace {

constexpr double second_to_hour = 1.0 / 3600;

void count(std::optional<bool> inside, LedgerTally::Coverage& coverage) {
  coverage.inside += inside.value_or(false) ? 1 : 0;
  coverage.of += inside ? 1 : 0;
}

/// Slurm sends the signal up to a minute before the lead begins (sbatch's manual).
bool has_hit_limit(const ledger::LedgerRow& row) {
  constexpr double early_s = 60;
  constexpr double whole_second_s = 1;  // as the scheduler counts
  const double lead_s = std::isnan(row.lead_s) ? 0 : row.lead_s;
  return row.censored && row.used_s >= row.asked_s - lead_s - early_s - whole_second_s;
}

}  // namespace

std::vector<ledger::LedgerRow> read_ledgers(std::vector<std::string> paths) {
  if (paths.empty()) {
    const auto own = ledger::user_ledger();
    if (!own) {
      throw Error("no ledger given, and neither EPOCHCAST_LEDGER nor HOME is set");
    }
    paths.push_back(*own);
  }
  std::vector<ledger::LedgerRow> rows;
  for (auto& path : paths) {
    path = std::filesystem::is_directory(path) ? ledger::ledger_of(path) : path;
    if (!std::filesystem::exists(path)) {
      throw Error(fmt::format("{}: no such ledger; 'epochcast-jobs plan' creates one", path));
    }
    std::vector<std::string> damaged;
    const auto more = ledger::read_ledger(path, &damaged);
    for (const auto& line : damaged) {
      cli::report("left out: " + line);
    }
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

bool is_scored(const ledger::LedgerRow& row) {
  return !std::isnan(row.forecast_s) && !std::isnan(row.actual_s) && row.actual_s > 0 &&
         (row.censored || row.outcome == ledger::Outcome::complete);
}

double error_percent(double forecast_s, const ledger::LedgerRow& row) {
  return 100 * (forecast_s - row.actual_s) / row.actual_s;
}

std::optional<bool> is_inside(const ledger::LedgerRow& row, double low_s, double high_s) {
  if (row.actual_s > high_s) {
    return false;
  }
  return row.censored ? std::nullopt : std::optional(row.actual_s >= low_s);
}

void LedgerTally::add(const ledger::LedgerRow& row) {
  ++rows;
  open += row.is_open() ? 1 : 0;
  refused += std::isnan(row.forecast_s) ? 1 : 0;
  hit_limit += has_hit_limit(row) ? 1 : 0;
  if (!std::isnan(row.asked_s) && !std::isnan(row.used_s)) {
    asked_s += row.asked_s;
    used_s += row.used_s;
    if (row.needed_s <= row.asked_s) {
      beside_lead_s += row.needed_s - row.lead_s;
      used_of_forecast_s += row.used_s;
    }
  }
  if (!is_scored(row)) {
    return;
  }
  censored += row.censored ? 1 : 0;
  errors.push_back(error_percent(row.forecast_s, row));
  if (!std::isnan(row.naive_s)) {
    naive_errors.push_back(error_percent(row.naive_s, row));
  }
  count(is_inside(row, row.low_80_s, row.high_80_s), inside_80);
  count(is_inside(row, row.low_95_s, row.high_95_s), inside_95);
}

double LedgerTally::asked_h() const {
  return asked_s * second_to_hour;
}

double LedgerTally::used_h() const {
  return used_s * second_to_hour;
}

}  // namespace epochcast::analysis
