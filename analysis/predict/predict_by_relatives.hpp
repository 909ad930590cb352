// The forecasts of runs from runs of the same program elsewhere, as tables.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "analysis/predict/related_records.hpp"
#include "src/cli/command_line.hpp"
#include "src/forecast/run_length.hpp"
#include "src/table/table.hpp"

namespace epochcast::analysis {

/// Collects the answers for one record after the other.
class RelativesTables {
 public:
  /// The candidates are the records of --relatives; parameters of --may-differ may differ. Throws
  /// Error if none of the candidates has one of these parameters.
  explicit RelativesTables(const cli::Arguments& arguments);

  /// The forecast of `pilot` from its relatives, beside `without`.
  void add(const LoadedRecord& pilot, const forecast::RunLength& length,
           const std::variant<forecast::Forecast, forecast::Refusal>& without);

  std::size_t forecasts() const { return forecasts_; }
  /// The forecasts, and which candidates were taken; none without --relatives.
  std::vector<table::Table> tables() const;

 private:
  std::vector<LoadedRecord> candidates_;
  ParameterNames may_differ_;
  table::Table answers_;
  table::Table taken_;
  std::size_t forecasts_ = 0;
};

}  // namespace epochcast::analysis
