#include "src/forecast/ledger/exchange.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "src/forecast/ledger/past_forecasts.hpp"

namespace epochcast::ledger {
namespace {

constexpr const char* mark = "forecast-";  ///< Begins the point of an anonymous row.

bool is_anonymous(const LedgerRow& row) {
  return row.out.empty() && row.job.empty() && row.point.starts_with(mark);
}

/// FNV-1a with 64 bits: a million rows collide with a probability of 3e-8.
class Hash {
 public:
  void add(std::uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte) {
      value_ = (value_ ^ ((bits >> (8 * byte)) & 0xff)) * 0x100000001b3U;
    }
  }
  void add(double number) { add(std::isnan(number) ? 0 : std::bit_cast<std::uint64_t>(number)); }
  void add(const std::string& text) {
    for (const char c : text) {
      add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
    add(static_cast<std::uint64_t>(text.size()));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

LedgerRow without_names(const LedgerRow& row, const std::string& site) {
  LedgerRow kept;
  kept.cluster = is_anonymous(row) ? row.cluster : site;
  kept.point = mark + fingerprint(row);
  kept.epochs = row.epochs;
  set_forecast(kept, forecast_of_row(row));
  kept.naive_s = row.naive_s;
  kept.classification = row.classification;
  kept.asked_s = row.asked_s;
  kept.outcome = row.outcome;
  kept.censored = row.censored;
  kept.actual_s = row.actual_s;
  kept.used_s = row.used_s;
  kept.memory_bytes = row.memory_bytes;
  kept.memory_high_95_bytes = row.memory_high_95_bytes;
  kept.memory_used_bytes = row.memory_used_bytes;
  return kept;
}

}  // namespace

std::string fingerprint(const LedgerRow& row) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(row.epochs));
  for (const double number : {row.forecast_s, row.low_80_s, row.high_80_s, row.low_95_s,
                              row.high_95_s, row.naive_s, row.actual_s}) {
    hash.add(number);
  }
  hash.add(row.classification);
  hash.add(std::string(to_text(row.outcome)));
  return fmt::format("{:016x}", hash.value());
}

std::vector<LedgerRow> anonymous(const std::vector<LedgerRow>& rows, const std::string& site) {
  std::vector<LedgerRow> kept;
  for (const auto& row : rows) {
    if (shows_error(row)) {
      kept.push_back(without_names(row, site));
    }
  }
  return kept;
}

std::pair<std::size_t, bool> EachOnce::place_of(const LedgerRow& row) {
  const auto print = fingerprint(row);
  const auto number = ++count_[print];
  const auto [place, is_new] = places_.emplace(fmt::format("{} {}", print, number), places_.size());
  return {place->second, is_new};
}

std::vector<LedgerRow> merged(const std::vector<std::vector<LedgerRow>>& ledgers) {
  std::vector<LedgerRow> all;
  EachOnce each;
  for (const auto& rows : ledgers) {
    each.begin_ledger();
    for (auto& row : anonymous(rows)) {
      const auto [place, is_new] = each.place_of(row);
      if (is_new) {
        all.push_back(std::move(row));
      } else if (all[place].cluster.empty()) {
        all[place].cluster = row.cluster;
      }
    }
  }
  return all;
}

}  // namespace epochcast::ledger
