#include "jobs/campaign/remaining.hpp"

#include <algorithm>
#include <ctime>

#include "src/core/clock.hpp"
#include "src/forecast/series_from_record.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::jobs {
namespace {

std::optional<double> forecast_left_s(const record::Record& record, double elapsed_s) {
  const auto answer = forecast::forecast_of(record, record::epochs_of(record));
  const auto* found = std::get_if<forecast::Forecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(std::max(0.0, found->total_s - elapsed_s));
}

}  // namespace

Remaining remaining_time(const std::string& record) {
  const auto lines = record::read_json_lines(record::json_lines_path(record));
  const auto& header = lines.record.header;
  const auto start = seconds_since_1970(header.created_at.str());
  const auto end = seconds_since_1970(header.finished_at.str())
                       .value_or(static_cast<double>(std::time(nullptr)));
  const double elapsed_s = start ? std::max(0.0, end - *start) : 0;
  return {elapsed_s, record::outcome_of(header) == run::Outcome::running
                         ? forecast_left_s(lines.record, elapsed_s)
                         : std::nullopt};
}

}  // namespace epochcast::jobs
