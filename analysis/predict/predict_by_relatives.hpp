// The forecasts of runs from runs of the same program elsewhere, as tables.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/forecast/run/reference_records.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// Collects the answers for one record after the other.
class RelativesTables {
 public:
  /// The candidates are the records of --relatives; parameters of --may-differ may differ. Without
  /// --relatives they are the complete runs of the same experiment in the user's ledger, and a
  /// record for which these do not agree has no row. Throws Error if none of the candidates has
  /// one of these parameters.
  explicit RelativesTables(const cli::Arguments& arguments);

  /// The forecast of `pilot` from its relatives, beside `without`.
  void add(const LoadedRecord& pilot, const forecast::RunLength& length,
           const std::variant<forecast::Forecast, forecast::Refusal>& without);

  std::size_t forecasts() const { return forecasts_; }
  /// The forecasts, and which candidates were taken; none if there were no candidates.
  std::vector<table::Table> tables() const;

 private:
  struct Answer {
    std::string path;
    std::size_t epochs_seen;
    std::optional<double> without_s;
    std::optional<forecast::FromReferenceRuns> found;  ///< Nothing: refused.

    const forecast::Prediction* forecast_s() const {
      return found ? &found->forecast.total_s : nullptr;
    }
    const char* agree() const { return !found ? "refused" : found->agree ? "yes" : "no"; }
  };
  struct Taken {
    std::string path;
    forecast::RelatedRecord relative;
  };

  const std::vector<LoadedRecord>& candidates_for(const LoadedRecord& pilot);

  std::vector<LoadedRecord> candidates_;
  bool are_given_ = false;
  std::map<std::string, std::vector<LoadedRecord>> in_ledger_;  ///< By experiment.
  record::ParameterNames may_differ_;
  std::vector<Answer> answers_;
  std::vector<std::string> refusals_;
  std::vector<Taken> taken_;
  std::vector<std::string> remarks_;
  std::size_t forecasts_ = 0;
};

}  // namespace epochcast::analysis
