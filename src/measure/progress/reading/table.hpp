// A table of the epochs as programs print it: names of columns, then a row an epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

/// Columns are separated by tabs, bars, semicolons, commas or blanks: "epoch,loss,seconds",
/// "| Epoch | Train (min) |", "epoch  train_loss  dur". One is the epoch. The times of others are
/// of what their names say, of the epoch or of the run so far ("elapsed_time"); numbers are
/// metrics.
class Table {
 public:
  /// std::nullopt: the line is no header, or rows of such a table are not of epochs.
  static std::optional<Table> of_header(std::string_view line);

  /// What a row says, with the epoch as printed; `clock_s` of a date is since 1970. std::nullopt:
  /// the line is none.
  std::optional<Reading> row(std::string_view line) const;
  /// Whether it would be the row of this epoch, with more cells than the header: of "1,075.2"
  /// between commas.
  bool is_broken_row(std::string_view line, std::int64_t epoch) const;
  /// The first column is "epoch", the last one "time", with blanks between: fastai's.
  bool is_fastai() const;

 private:
  char separator_ = ' ';
  std::vector<std::string> names_;
  std::string header_;     ///< As it is written, where blanks separate the columns.
  std::size_t epoch_ = 0;  ///< The column.
};

}  // namespace epochcast::progress
