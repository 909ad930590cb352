// Rows of a ledger summed up: errors, coverage, time requested and used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::analysis {

/// The rows of ledgers, or of those of folders; none given: of the user's own. Lines that cannot be
/// read are left out with a message. Throws Error if there is no such ledger.
std::vector<ledger::LedgerRow> read_ledgers(std::vector<std::string> paths);

/// Whether the forecast can be compared with a time: the training ran, to its end or cut off.
bool is_scored(const ledger::LedgerRow& row);

/// How far off, in % of what it took; above 0: forecast too long.
double error_percent(double forecast_s, const ledger::LedgerRow& row);

/// Whether what it took lies in the interval. A cut-off run that has outlived it does not; of one
/// that has not nothing can be said, as it may have come to lie there.
std::optional<bool> is_inside(const ledger::LedgerRow& row, double low_s, double high_s);

/// The rows of an allocation, or all.
struct LedgerTally {
  struct Coverage {
    std::size_t inside = 0;
    std::size_t of = 0;  ///< Rows for which it is known.
  };

  void add(const ledger::LedgerRow& row);
  double asked_h() const;
  double used_h() const;

  std::size_t rows = 0;
  std::size_t open = 0;
  std::size_t refused = 0;
  std::size_t censored = 0;          ///< Of the scored ones.
  std::size_t hit_limit = 0;         ///< Cut off by their time limit, not by anything else.
  std::vector<double> errors;        ///< Signed, in %, of the scored ones.
  std::vector<double> naive_errors;  ///< The same of first epoch x N.
  Coverage inside_80;
  Coverage inside_95;
  double asked_s = 0;  ///< Of rows that have ended.
  double used_s = 0;
  double beside_lead_s = 0;       ///< Asked on a forecast, without lead and rounding to minutes.
  double used_of_forecast_s = 0;  ///< By the same rows.
};

}  // namespace epochcast::analysis
