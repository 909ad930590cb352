// Forecasts against what became of their jobs, from ledgers (OUT/ledger.csv, or the user's own over
// all folders): error, coverage, hours asked and used. A run that was ended before its training did
// counts: how long it ran is a lower bound of how long it would have taken.
#include "src/ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "analysis/statistics.hpp"
#include "analysis/table.hpp"
#include "src/core/error.hpp"

namespace epochcast::tables {
namespace {

constexpr double second_to_hour = 1.0 / 3600;

Cell known(double value) {
  return std::isnan(value) ? Cell() : Cell(value);
}

Cell text(const std::string& value) {
  return value.empty() ? Cell() : Cell(value);
}

/// Whether the forecast can be held against a time: the training ran, to its end or cut off.
bool is_scored(const LedgerRow& row) {
  return !std::isnan(row.forecast_s) && !std::isnan(row.actual_s) && row.actual_s > 0 &&
         (row.censored || row.outcome == "complete");
}

/// How far off, in % of what it took; above 0: forecast too long.
double error_percent(double forecast_s, const LedgerRow& row) {
  return 100 * (forecast_s - row.actual_s) / row.actual_s;
}

enum class Inside { no, yes, cannot_say };

/// A cut-off run that has outlived the interval was not in it; one that has not may have come to
/// lie there.
Inside inside(const LedgerRow& row, double low_s, double high_s) {
  if (row.actual_s > high_s) {
    return Inside::no;
  }
  if (row.censored) {
    return Inside::cannot_say;
  }
  return row.actual_s < low_s ? Inside::no : Inside::yes;
}

Cell inside_cell(const LedgerRow& row, double low_s, double high_s) {
  if (!is_scored(row)) {
    return {};
  }
  const auto answer = inside(row, low_s, high_s);
  return answer == Inside::cannot_say ? Cell() : Cell(answer == Inside::yes ? "yes" : "no");
}

std::vector<LedgerRow> read(const std::vector<std::string>& files) {
  auto paths = files;
  if (paths.empty()) {
    const auto own = user_ledger();
    if (!own) {
      throw Error("no ledger is named, and EPOCHCAST_LEDGER and HOME name none");
    }
    paths.push_back(*own);
  }
  std::vector<LedgerRow> rows;
  for (auto& path : paths) {
    path = std::filesystem::is_directory(path) ? ledger_of(path) : path;
    if (!std::filesystem::exists(path)) {
      throw Error(fmt::format("{}: there is no ledger; 'epochcast-jobs plan' begins one", path));
    }
    const auto more = read_ledger(path);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

Table rows_table(const std::vector<LedgerRow>& rows) {
  Table table{
      .name = "ledger",
      .title = "Forecasts and outcomes",
      .columns = {text_column("point", "point"), text_column("allocation", "allocation"),
                  text_column("outcome", "outcome"),
                  number_column("forecast_s", "forecast", "s", 1),
                  number_column("low_95_s", "from (95 %)", "s", 1),
                  number_column("high_95_s", "to (95 %)", "s", 1),
                  number_column("actual_s", "took", "s", 1), text_column("censored", "at least"),
                  number_column("error_percent", "error", "%", 1),
                  number_column("naive_error_percent", "1 epoch x N", "%", 1),
                  text_column("inside_80", "in 80 %"), text_column("inside_95", "in 95 %"),
                  number_column("asked_s", "asked", "s", 0),
                  number_column("used_s", "used", "s", 0), text_column("remark", "remark")}};
  for (auto& column : table.columns) {
    column.always_sign = column.key.ends_with("error_percent");
  }
  for (const auto& row : rows) {
    const bool scored = is_scored(row);
    const auto error_of = [&](double forecast_s) {
      return scored && !std::isnan(forecast_s) ? Cell(error_percent(forecast_s, row)) : Cell();
    };
    table.rows.push_back(
        {row.point, text(row.allocation), row.is_open() ? Cell("not ended") : Cell(row.outcome),
         known(row.forecast_s), known(row.low_95_s), known(row.high_95_s), known(row.actual_s),
         row.censored ? Cell("yes") : Cell(), error_of(row.forecast_s), error_of(row.naive_s),
         inside_cell(row, row.low_80_s, row.high_80_s),
         inside_cell(row, row.low_95_s, row.high_95_s), known(row.asked_s), known(row.used_s),
         text(row.remark)});
  }
  table.notes = {
      "error: forecast against what it took; of a run cut off (at least: yes) against the time "
      "it had run, so it is at most that"};
  return table;
}

/// What the rows of an allocation say together.
class Tally {
 public:
  void add(const LedgerRow& row) {
    ++rows_;
    open_ += row.is_open() ? 1 : 0;
    refused_ += std::isnan(row.forecast_s) ? 1 : 0;
    if (!std::isnan(row.asked_s) && !std::isnan(row.used_s)) {
      asked_s_ += row.asked_s;
      used_s_ += row.used_s;
    }
    if (!is_scored(row)) {
      return;
    }
    censored_ += row.censored ? 1 : 0;
    errors_.push_back(std::abs(error_percent(row.forecast_s, row)));
    bias_ += error_percent(row.forecast_s, row);
    if (!std::isnan(row.naive_s)) {
      naive_errors_.push_back(std::abs(error_percent(row.naive_s, row)));
    }
    count(inside(row, row.low_80_s, row.high_80_s), inside_80_);
    count(inside(row, row.low_95_s, row.high_95_s), inside_95_);
  }

  Row cells(const std::string& name) const {
    const auto scored = static_cast<double>(errors_.size());
    return {name,
            static_cast<double>(rows_),
            static_cast<double>(open_),
            static_cast<double>(refused_),
            scored,
            static_cast<double>(censored_),
            mean(errors_),
            median(errors_),
            errors_.empty() ? Cell() : Cell(bias_ / scored),
            median(naive_errors_),
            inside_80_.cell(),
            inside_95_.cell(),
            asked_s_ * second_to_hour,
            used_s_ * second_to_hour,
            used_s_ > 0 ? Cell(asked_s_ / used_s_) : Cell()};
  }

 private:
  struct Coverage {
    double inside = 0;
    double of = 0;
    Cell cell() const { return of > 0 ? Cell(100 * inside / of) : Cell(); }
  };

  static void count(Inside answer, Coverage& coverage) {
    coverage.inside += answer == Inside::yes ? 1 : 0;
    coverage.of += answer == Inside::cannot_say ? 0 : 1;
  }

  static Cell mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
      sum += value;
    }
    return values.empty() ? Cell() : Cell(sum / static_cast<double>(values.size()));
  }

  static Cell median(const std::vector<double>& values) {
    const auto summary = summarize(values);
    return summary ? Cell(summary->median) : Cell();
  }

  std::size_t rows_ = 0;
  std::size_t open_ = 0;
  std::size_t refused_ = 0;
  std::size_t censored_ = 0;
  std::vector<double> errors_;
  std::vector<double> naive_errors_;
  double bias_ = 0;
  Coverage inside_80_;
  Coverage inside_95_;
  double asked_s_ = 0;
  double used_s_ = 0;
};

Table summary_table(const std::vector<LedgerRow>& rows) {
  std::map<std::string, Tally> tallies;
  Tally all;
  for (const auto& row : rows) {
    tallies[row.allocation].add(row);
    all.add(row);
  }
  Table table{
      .name = "ledger_summary",
      .title = "How good the forecasts were",
      .columns = {
          text_column("allocation", "allocation"), number_column("n", "n", "", 0),
          number_column("open", "not ended", "", 0), number_column("refused", "refused", "", 0),
          number_column("scored", "scored", "", 0), number_column("censored", "cut off", "", 0),
          number_column("mean_error_percent", "mean error", "%", 1),
          number_column("median_error_percent", "median", "%", 1),
          number_column("bias_percent", "bias", "%", 1),
          number_column("naive_median_error_percent", "1 epoch x N, median", "%", 1),
          number_column("coverage_80_percent", "in 80 %", "%", 1),
          number_column("coverage_95_percent", "in 95 %", "%", 1),
          number_column("asked_h", "asked", "h", 2), number_column("used_h", "used", "h", 2),
          number_column("asked_per_used", "asked/used", "", 2)}};
  for (const auto& [allocation, tally] : tallies) {
    table.rows.push_back(tally.cells(allocation));
  }
  table.rows.push_back(all.cells("all"));
  table.notes = {
      "coverage is of the runs of which it can be said: one cut off within the interval is not "
      "counted, one that outlived it counts as outside"};
  return table;
}

std::vector<Table> make(const std::vector<std::string>& files) {
  const auto rows = read(files);
  return {rows_table(rows), summary_table(rows)};
}

}  // namespace

TableSpec ledger() {
  return {.summary = "forecasts against outcomes, from ledgers (none named: the user's own)",
          .of_files = make};
}

}  // namespace epochcast::tables
