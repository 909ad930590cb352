#include "src/forecast/ledger/past_forecasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::ledger {

namespace {

/// Whether a closed row shows the error of a forecast: its run was complete, or was ended after
/// more time than was forecast, since it would have taken at least that long.
bool shows_error(const LedgerRow& row) {
  const bool known = !row.is_open() && std::isfinite(row.forecast_s) &&
                     std::isfinite(row.low_80_s) && std::isfinite(row.high_80_s) &&
                     std::isfinite(row.low_95_s) && std::isfinite(row.high_95_s) &&
                     std::isfinite(row.actual_s);
  const bool ended =
      row.outcome == Outcome::complete || (row.censored && row.actual_s > row.forecast_s);
  // Quantiles of past times have intervals that need no adjustment, and say nothing about pilots.
  return known && ended && row.classification != from_history;
}

}  // namespace

std::vector<forecast::PastForecast> past_forecasts(const std::vector<LedgerRow>& rows) {
  std::vector<forecast::PastForecast> past;
  for (const auto& row : rows) {
    if (shows_error(row)) {
      past.push_back({forecast_of_row(row), row.actual_s});
    }
  }
  return past;
}

std::vector<forecast::PastForecast> past_memory(const std::vector<LedgerRow>& rows) {
  // A row keeps one end of the intervals: that of 80 % is as much nearer as a normal error's.
  const double nearer = forecast::normal_half_width(0.80) / forecast::normal_half_width(0.95);
  std::vector<forecast::PastForecast> past;
  for (const auto& row : rows) {
    const double width = std::log(row.memory_high_95_bytes / row.memory_bytes);
    const bool ended = row.outcome == Outcome::complete || row.memory_used_bytes > row.memory_bytes;
    if (ended && width > 0 && row.memory_used_bytes > 0) {
      past.push_back({forecast::with_log_widths(row.memory_bytes, nearer * width, width),
                      row.memory_used_bytes});
    }
  }
  return past;
}

namespace {

/// The same for the same forecast with the same outcome, whatever it is called in its ledger: a
/// copy may lack names.
std::string numbers_of(const LedgerRow& row) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", row.epochs, row.forecast_s, row.low_80_s,
                     row.high_80_s, row.low_95_s, row.high_95_s, row.naive_s, row.actual_s,
                     row.classification, to_text(row.outcome));
}

/// Finds the rows of several ledgers that are the same forecast. The n-th row with the same numbers
/// in one ledger is the n-th in another; rows of one ledger are never the same.
class EachOnce {
 public:
  void begin_ledger() { count_.clear(); }
  bool is_new(const LedgerRow& row) {
    const auto numbers = numbers_of(row);
    return seen_.insert(fmt::format("{} {}", numbers, ++count_[numbers])).second;
  }

 private:
  std::unordered_map<std::string, std::size_t> count_;  ///< In this ledger.
  std::unordered_set<std::string> seen_;                ///< The numbers and the count.
};

/// The rows of the user's and of the site's ledger, and what there is to say of them.
struct KnownRows {
  std::vector<LedgerRow> rows;
  std::vector<std::string> paths;
  std::vector<std::string> remarks;

  void add(const std::string& path) {
    std::vector<std::string> damaged;
    auto newest = read_newest(path, &damaged);
    if (!newest.empty()) {
      paths.push_back(path);
    }
    each_.begin_ledger();
    for (auto& row : newest) {
      if (each_.is_new(row)) {
        rows.push_back(std::move(row));
      }
    }
    if (!damaged.empty()) {
      remarks.push_back(
          fmt::format("{} of the ledger ignored as damaged ({})",
                      damaged.size() == 1 ? "1 line" : fmt::format("{} lines", damaged.size()),
                      damaged.front()));
    }
  }

 private:
  EachOnce each_;
};

KnownRows known_rows() {
  KnownRows known;
  if (const auto own = user_ledger()) {
    known.add(*own);
  }
  if (const auto site = site_ledger()) {
    try {
      if (!std::filesystem::exists(*site)) {
        throw Error(*site + ": no such file");
      }
      known.add(*site);
    } catch (const Error& error) {
      known.remarks.push_back(
          fmt::format("the site's ledger (EPOCHCAST_SITE_LEDGER) is not used: {}", error.what()));
    }
  }
  return known;
}

/// A ledger at one time: unchanged as long as this is the same.
struct Stamp {
  std::string path;
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type written = {};
  bool operator==(const Stamp&) const = default;
};

std::vector<Stamp> stamps_of_ledgers() {
  std::vector<Stamp> stamps;
  for (const auto& path : {user_ledger(), site_ledger()}) {
    std::error_code none;
    auto& stamp = stamps.emplace_back();
    if (path) {
      stamp.path = *path;
      stamp.bytes = std::filesystem::file_size(*path, none);
      stamp.written = std::filesystem::last_write_time(*path, none);
    }
  }
  return stamps;
}

/// What the ledgers teach.
struct Lesson {
  std::vector<Stamp> stamps;
  std::optional<forecast::CalibrationFactors> factors;
  std::optional<forecast::CalibrationFactors> of_memory = {};
  std::vector<std::string> reasons;
};

/// "; 9 in 10 of them or more took longer than forecast, 15 % by the median ...", or "". Forecasts
/// are not shifted by it: those of other programs, and from other parts of a run, have no such
/// bias.
std::string bias_text(const std::vector<forecast::PastForecast>& past) {
  constexpr double clear_share = 0.9;
  std::vector<double> ratios;
  double longer = 0;
  for (const auto& one : past) {
    ratios.push_back(one.actual_s / one.total_s.value);
    longer += ratios.back() > 1 ? 1 : 0;
  }
  const double share = longer / static_cast<double>(ratios.size());
  const double median = median_of(std::move(ratios));
  if (std::max(share, 1 - share) < clear_share || median == 1) {
    return "";
  }
  return fmt::format(
      "; 9 in 10 of their runs or more were {} than forecast, {:.1f} % by the median: the "
      "intervals allow for it, the forecast itself does not",
      median > 1 ? "longer" : "shorter", 100 * std::abs(median - 1));
}

Lesson lesson_of(std::vector<Stamp> stamps) {
  const auto known = known_rows();
  const auto past = past_forecasts(known.rows);
  Lesson lesson{.stamps = std::move(stamps), .factors = {}, .reasons = {}};
  if (const auto memory = past_memory(known.rows);
      memory.size() >= forecast::fewest_past_forecasts) {
    lesson.of_memory = forecast::calibration_from(memory);
  }
  if (past.size() >= forecast::fewest_past_forecasts) {
    lesson.factors = forecast::calibration_from(past);
    lesson.reasons.push_back(fmt::format("intervals learned from {} earlier forecasts ({}){}",
                                         past.size(), join(known.paths, ", "), bias_text(past)));
  }
  lesson.reasons.insert(lesson.reasons.end(), known.remarks.begin(), known.remarks.end());
  return lesson;
}

/// A program forecasts many records one after the other, and the ledgers are read once.
const Lesson& current_lesson() {
  thread_local std::optional<Lesson> last;
  auto stamps = stamps_of_ledgers();
  if (!last || last->stamps != stamps) {
    last = lesson_of(std::move(stamps));
  }
  return *last;
}

}  // namespace

forecast::Forecast adjusted_by_user_ledger(const forecast::Forecast& forecast) {
  const auto& lesson = current_lesson();
  auto learned = lesson.factors ? forecast::calibrated(forecast, *lesson.factors) : forecast;
  learned.reasons.insert(learned.reasons.end(), lesson.reasons.begin(), lesson.reasons.end());
  return learned;
}

forecast::Prediction memory_adjusted_by_user_ledger(const forecast::Prediction& bytes) {
  try {
    const auto& factors = current_lesson().of_memory;
    forecast::Forecast of_bytes;
    of_bytes.total_s = bytes;
    return factors ? forecast::calibrated(of_bytes, *factors).total_s : bytes;
  } catch (const Error&) {  // adjusted_by_user_ledger() has told of it
    return bytes;
  }
}

}  // namespace epochcast::ledger
