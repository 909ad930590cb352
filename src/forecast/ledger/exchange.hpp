// Ledgers that go from one user or site to another: rows without names, merged without counting a
// forecast twice.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::ledger {

/// The closed rows that show how wrong a forecast was, without anything that names a person, a
/// folder, a program, a job or a time of day. What is left: epochs, forecast, intervals, class,
/// limit, and the outcome with its times. The point becomes the row's fingerprint. `site` becomes
/// the cluster; a row that is anonymous already keeps its own.
std::vector<LedgerRow> anonymous(const std::vector<LedgerRow>& rows, const std::string& site = "");

/// The same for the same forecast with the same outcome, whoever exported it: a hash of the numbers
/// that an anonymous row keeps. Names are not part of it, so they cannot be guessed from it.
std::string fingerprint(const LedgerRow& row);

/// Finds the rows of several ledgers that are the same forecast. The n-th row with a fingerprint in
/// one ledger is the n-th in another; rows of one ledger are never the same.
class EachOnce {
 public:
  void begin_ledger() { count_.clear(); }
  /// The place of the row among the different rows of all ledgers so far, and whether it is new.
  std::pair<std::size_t, bool> place_of(const LedgerRow& row);

 private:
  std::unordered_map<std::string, std::size_t> count_;   ///< By fingerprint, in this ledger.
  std::unordered_map<std::string, std::size_t> places_;  ///< By fingerprint and count.
};

/// All rows of all ledgers, anonymous, each forecast once; in the order in which they come.
std::vector<LedgerRow> merged(const std::vector<std::vector<LedgerRow>>& ledgers);

}  // namespace epochcast::ledger
