// Tables with a row an epoch: CSV and TSV files, skorch's, Chainer's PrintReport, Markdown.
#include "src/measure/progress/reading/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace table_format {

/// All that was counted is 0, and what was not measured is left out.
bool untrained(const Reading& reading) {
  return std::ranges::all_of(reading.metrics, [](const auto& of) { return of.value == 0; });
}

class TableParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    if (auto header = Table::of_header(line.text); header && !header->is_fastai()) {
      table_ = std::move(header);
      return std::nullopt;
    }
    auto reading = table_ ? table_->row(line.text) : std::nullopt;
    if (!reading && table_ && last_ && table_->is_broken_row(line.text, *last_ + 1)) {
      return Reading{.conflict =
                         fmt::format("a row of the table has more cells than its header: '{}'",
                                     excerpt(line.text))};
    }
    if (!reading) {
      return std::nullopt;
    }
    if (reading->clock_s && *reading->clock_s > since_1970_s) {
      began_s_ = began_s_.value_or(*reading->clock_s);
      *reading->clock_s -= *began_s_;
      if (reading->epoch == 0 && reading->clock_s == 0 && untrained(*reading)) {
        return std::nullopt;  // before the training
      }
    }
    if (last_ == *reading->epoch) {
      reading->conflict = "a table with several rows an epoch";
    }
    last_ = *reading->epoch;
    reading->epoch = epochs_.from_zero(*reading->epoch, false);
    return reading->epoch ? reading : std::nullopt;
  }
  bool wants_every_line() const override { return table_.has_value(); }

 private:
  /// No run lasts as long.
  static constexpr double since_1970_s = 1e9;

  std::optional<Table> table_;
  std::optional<double> began_s_;     ///< The date of the first row, since 1970.
  std::optional<std::int64_t> last_;  ///< As printed.
  EpochCount epochs_;
};

}  // namespace table_format

FormatSpec table() {
  return {.summary = "a table with a row an epoch, below a header with the column 'epoch'",
          .hints = {"poch"},
          .open = [](const auto&) { return std::make_unique<table_format::TableParser>(); }};
}

}  // namespace epochcast::progress::formats
