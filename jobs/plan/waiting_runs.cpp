#include "jobs/plan/waiting_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/remaining.hpp"
#include "jobs/ledger/pilot_forecast.hpp"
#include "jobs/plan/known_runs.hpp"
#include "jobs/plan/pilots.hpp"
#include "jobs/plan/time_limit.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/memory/run_memory.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::jobs {
namespace {

/// The cell of a row of the index; empty if there is no such column.
std::string cell(const Index& index, const CsvRow& row, const std::string& column) {
  const auto at = index.column(column);
  return at ? row[*at] : "";
}

class WaitingRuns {
 public:
  WaitingRuns(const OutFolder& out, const std::string& pilot)
      : out_(out),
        pilot_(pilot),
        origin_(read_origin(out)),
        attempt_(attempt_of(out, pilot)),
        record_(record::read_json_lines(record::json_lines_path(attempt_.record)).record),
        known_(known_runs(origin_.relatives, origin_.context.experiment)) {}

  std::vector<ledger::LedgerRow> rows() const {
    const auto plan = read_plan(out_);
    const auto index = read_index(out_);
    std::vector<ledger::LedgerRow> rows;
    for (const auto& line : index.rows) {
      const auto found = plan.find(line[Index::point]);
      if (found != plan.end() && found->second == pilot_) {
        rows.push_back(row_of(index, line));
      }
    }
    if (rows.empty()) {
      throw Error(
          fmt::format("{}: no point waits for '{}' (see plan.csv)", out_.root.string(), pilot_));
    }
    return rows;
  }

  const record::Record& record() const { return record_; }

 private:
  /// The newest attempt; if others disturbed it, the newest whole one that nobody disturbed.
  static Attempt attempt_of(const OutFolder& out, const std::string& pilot) {
    const auto attempts = read_attempts(OutFolder(out.pilots()));
    const auto found = attempts.find(pilot);
    if (found == attempts.end()) {
      throw RunError(fmt::format("{}: pilot '{}' has no record", out.pilots().string(), pilot));
    }
    const auto& all = found->second;
    if (all.back().disturbed.empty()) {
      return all.back();
    }
    const auto clean = std::find_if(all.rbegin(), all.rend(), [](const Attempt& attempt) {
      return attempt.disturbed.empty() && is_done(attempt.header);
    });
    return clean == all.rend() ? all.back() : *clean;
  }

  ledger::LedgerRow row_of(const Index& index, const CsvRow& line) const {
    auto [row, high_s] = forecast_of(index, line);
    row.made_at = iso8601();
    row.out = out_.root;
    row.experiment = origin_.context.experiment;
    row.cluster = origin_.cluster.name;
    row.allocation = line[Index::allocation];
    row.point = line[Index::point];
    row.pilot = pilot_;
    if (!known_.problem.empty()) {
      add_remark(row, known_.problem);
    }
    if (!attempt_.disturbed.empty()) {
      add_remark(row, "its pilot was disturbed: " + attempt_.disturbed);
    }
    const auto site =
        with_lead(profile_of(origin_.cluster, row.allocation), origin_.context.checkpoint_lead);
    ask_for_all(row, site);
    if (!std::isnan(high_s)) {
      ask_for_limit(row, {record::before_program_s(record_), high_s}, site, out_.root,
                    !origin_.cluster.is_local());
    }
    set_memory(row, high_s, site);
    return row;
  }

  PilotForecast forecast_of(const Index& index, const CsvRow& line) const {
    const auto epochs = parse_integer(cell(index, line, "epochs"));
    if (origin_.context.wraps_command) {
      return forecast_of_program(
          record_, {.epochs = epochs, .steps = parse_integer(cell(index, line, "steps"))},
          origin_.context.pilot_has_arguments, known_);
    }
    const auto other = other_end(index, line);
    return other.empty() ? forecast_from_pilot(record_, epochs.value_or(0), known_)
                         : refused(epochs.value_or(0), other);
  }

  static PilotForecast refused(std::int64_t epochs, const std::string& why) {
    ledger::LedgerRow row;
    row.epochs = epochs;
    row.remark = why;
    return {row, ledger::not_known};
  }

  /// Sets what is forecast of the memory, and what to ask for, where that is less than the
  /// profile's.
  void set_memory(ledger::LedgerRow& row, double high_s, const AllocationProfile& site) const {
    const auto answer = memory::memory_of_run(record_, row.forecast_s, high_s);
    if (std::holds_alternative<forecast::Refusal>(answer)) {
      return;
    }
    const auto& found = std::get<memory::RunMemory>(answer).node_bytes;
    row.memory_bytes = std::round(found.value);
    row.memory_high_95_bytes = std::round(found.interval_95.high);
    if (site.launch.plan_memory != "forecast" || memory_option(site, site.asks.memory).empty()) {
      return;
    }
    const auto most = ledger::memory_adjusted_by_user_ledger(found).interval_95.high;
    const auto wanted = memory_for(std::max(most, found.value));
    if (wanted.value <= site.asks.memory.value) {
      row.memory_asked_bytes = static_cast<double>(wanted.value);
    } else {
      add_remark(row, fmt::format("may need {} of memory, over the {} of allocation '{}'",
                                  to_text(wanted), to_text(site.asks.memory), site.name));
    }
  }

  const OutFolder& out_;
  const std::string& pilot_;
  Origin origin_;
  Attempt attempt_;
  record::Record record_;
  KnownRuns known_;
};

}  // namespace

std::vector<ledger::LedgerRow> forecasts_from(const OutFolder& out, const std::string& pilot) {
  return WaitingRuns(out, pilot).rows();
}

std::string progress_shown_by(const OutFolder& out, const std::string& pilot) {
  return read_origin(out).context.wraps_command ? shown_by(WaitingRuns(out, pilot).record()) : "";
}

std::vector<std::string> pilots_without_forecast(const OutFolder& out) {
  std::set<std::string> known;
  for (const auto& row : ledger::read_ledger(ledger::ledger_of(out.root))) {
    known.insert(row.point);
  }
  const auto attempts = read_attempts(OutFolder(out.pilots()));
  std::set<std::string> without;
  for (const auto& [point, pilot] : read_plan(out)) {
    const auto found = attempts.find(pilot);
    if (!known.contains(point) && found != attempts.end()) {
      const auto outcome = record::outcome_of(found->second.back().header);
      if (outcome == run::Outcome::complete || outcome == run::Outcome::stopped) {
        without.insert(pilot);
      }
    }
  }
  return {without.begin(), without.end()};
}

}  // namespace epochcast::jobs
