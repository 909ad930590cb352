#include "jobs/ledger/ledgers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "jobs/campaign/attempts.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/remaining.hpp"
#include "jobs/ledger/pilot_forecast.hpp"
#include "jobs/scheduler/local.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_use.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::jobs {
namespace {

/// Rounded to about three significant digits.
std::string rounded(double seconds) {
  if (seconds < 60) {
    return format_duration(std::round(seconds * 10) / 10);  // 0.1 * 449 is not 44.9
  }
  const double step_s = seconds < 600 ? 1 : 60;
  return format_duration(step_s * std::round(seconds / step_s));
}

std::string memory_text(const ledger::LedgerRow& row) {
  return std::isnan(row.memory_asked_bytes)
             ? ""
             : ", memory " + format_bytes(static_cast<std::int64_t>(row.memory_asked_bytes));
}

}  // namespace

void put_in_ledgers(const OutFolder& out, const std::vector<ledger::LedgerRow>& rows,
                    const Tell& tell) {
  ledger::put_in_ledger(ledger::ledger_of(out.root), rows);
  try {
    if (const auto own = ledger::user_ledger()) {
      is_there(*own);  // throws if the path is invalid
      ledger::put_in_ledger(*own, rows);
    }
  } catch (const Error& error) {
    tell(fmt::format("the user's ledger was not updated: {}", error.what()));
  }
}

std::map<std::string, ledger::LedgerRow> open_forecasts(const OutFolder& out) {
  std::map<std::string, ledger::LedgerRow> open;
  for (auto& row : ledger::read_ledger(ledger::ledger_of(out.root))) {
    if (row.is_open()) {
      open[row.point] = std::move(row);
    }
  }
  return open;
}

std::string forecast_text(const ledger::LedgerRow& row) {
  const auto asked =
      std::isnan(row.asked_s) ? std::string("no limit") : "limit " + format_duration(row.asked_s);
  if (std::isnan(row.forecast_s)) {
    return fmt::format("no forecast: {}; {}{}", row.remark, asked, memory_text(row));
  }
  return fmt::format("forecast {}, at most {} (95 %): {}{}{}", rounded(row.forecast_s),
                     rounded(row.high_95_s), asked + memory_text(row),
                     row.remark.empty() ? "" : "; ", row.remark);
}

std::string outcome_text(const ledger::LedgerRow& row) {
  if (row.outcome != ledger::Outcome::complete || std::isnan(row.actual_s)) {
    return fmt::format("{}{}{}", to_text(row.outcome),
                       std::isnan(row.actual_s) ? "" : " after " + rounded(row.actual_s),
                       row.reason.empty() ? "" : ", " + row.reason);
  }
  if (std::isnan(row.forecast_s)) {
    return fmt::format("took {}; there was no forecast", rounded(row.actual_s));
  }
  const double percent = 100 * (row.forecast_s - row.actual_s) / row.actual_s;
  return fmt::format("took {}: forecast {:.1f} % too {}", rounded(row.actual_s), std::abs(percent),
                     percent < 0 ? "short" : "long");
}

namespace {

ledger::Outcome outcome_of(PointState state) {
  switch (state) {
    case PointState::complete:
      return ledger::Outcome::complete;
    case PointState::stopped:
      return ledger::Outcome::stopped;
    case PointState::failed:
      return ledger::Outcome::failed;
    case PointState::lost:
      return ledger::Outcome::lost;
    case PointState::missing:
      return ledger::Outcome::missing;
    default:
      return ledger::Outcome::open;
  }
}

ledger::Outcome outcome_of(run::Outcome outcome) {
  switch (outcome) {
    case run::Outcome::complete:
      return ledger::Outcome::complete;
    case run::Outcome::stopped:
      return ledger::Outcome::stopped;
    case run::Outcome::failed:
      return ledger::Outcome::failed;
    default:  // also `running`: its point has ended, and the last write failed
      return ledger::Outcome::lost;
  }
}

/// The attempt of the forecast: that of its job, otherwise the first one after it. An attempt that
/// resumed from a checkpoint is not the whole run.
const Attempt* attempt_of(const ledger::LedgerRow& row, const std::vector<Attempt>& attempts) {
  constexpr double stamp_s = 1;  // stamps have whole seconds
  const auto made_s = seconds_since_1970(row.made_at).value_or(0) - stamp_s;
  const auto is_it = [&](const Attempt& attempt) {
    const auto& header = attempt.header;
    const bool of_job = row.job.empty()
                            ? seconds_since_1970(header.created_at.str()).value_or(0) >= made_s
                            : header.job_id.view() == row.job;
    return of_job && header.resumed_from.view().empty();
  };
  const auto found = std::find_if(attempts.begin(), attempts.end(), is_it);
  return found == attempts.end() ? nullptr : &*found;
}

/// Job -> seconds that the scheduler counted, for jobs that have ended.
std::map<std::string, double> counted_s(const OutFolder& out,
                                        const std::vector<ledger::LedgerRow>& rows) {
  const Journal journal(out.journal());
  std::vector<std::string> jobs;
  for (const auto& row : rows) {
    if (!row.job.empty() && !is_local_job(row.job) && journal.points_of(row.job) == 1) {
      jobs.push_back(row.job);
    }
  }
  std::map<std::string, double> seconds;
  if (jobs.empty()) {
    return seconds;
  }
  for (const auto& answer : {scheduler().queue(), scheduler().accounting(jobs)}) {
    for (const auto& job : answer.jobs) {
      if (!slurm::is_live(job.state) && job.elapsed_s > 0 && is_known_job(journal, job)) {
        seconds[job.id] = job.elapsed_s;
      }
    }
  }
  return seconds;
}

void close(ledger::LedgerRow& row, const PointStatus& point, const std::vector<Attempt>& attempts) {
  const auto* attempt = attempt_of(row, attempts);
  if (attempt == nullptr) {
    const bool resumed = point.state == PointState::complete;
    row.outcome = resumed ? ledger::Outcome::missing : outcome_of(point.state);
    row.reason = resumed ? "only an attempt that resumed from a checkpoint ended" : point.reason;
    row.job = row.job.empty() ? point.job : row.job;
    return;
  }
  row.outcome = outcome_of(record::outcome_of(attempt->header));
  row.reason = attempt->header.outcome_text.str();
  row.job = attempt->header.job_id.str();
  row.censored = row.outcome == ledger::Outcome::stopped || row.outcome == ledger::Outcome::lost;
  const auto record = record::read_json_lines(record::json_lines_path(attempt->record)).record;
  row.actual_s = record::last_time_s(record);
  row.used_s = row.actual_s;
  row.memory_used_bytes = efficiency::peak_memory(record).node_bytes.value_or(ledger::not_known);
  row.asked_s = record::time_limit_s(record).value_or(row.asked_s);
}

}  // namespace

void close_ledger_rows(const OutFolder& out, const std::vector<PointStatus>& points,
                       const Tell& tell) {
  auto open = open_forecasts(out);
  if (open.empty()) {
    return;
  }
  const auto attempts = read_attempts(out);
  std::vector<ledger::LedgerRow> closed;
  for (const auto& point : points) {
    const auto row = open.find(point.point);
    if (row != open.end() && has_ended(point.state)) {
      const auto found = attempts.find(point.point);
      close(row->second, point, found == attempts.end() ? std::vector<Attempt>{} : found->second);
      tell(fmt::format("{}: {}", shown_name(point.point, point.swept), outcome_text(row->second)));
      closed.push_back(row->second);
    }
  }
  if (closed.empty()) {
    return;
  }
  const auto counted = counted_s(out, closed);
  for (auto& row : closed) {
    if (const auto found = counted.find(row.job); found != counted.end()) {
      row.used_s = found->second;
    }
  }
  put_in_ledgers(out, closed, tell);
}

}  // namespace epochcast::jobs
