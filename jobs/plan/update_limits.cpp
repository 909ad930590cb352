#include "jobs/plan/update_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/plan/pilots.hpp"
#include "jobs/plan/time_limit.hpp"
#include "jobs/plan/waiting_runs.hpp"
#include "jobs/scheduler/scheduler.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

constexpr double lock_timeout_s = 300;  // for other processes in the same folder

/// Lowers the limits of pending jobs, of time and of memory.
class Lowering {
 public:
  Lowering(const OutFolder& out, const Tell& tell)
      : out_(out), tell_(tell), cluster_(read_origin(out).cluster) {}

  std::vector<std::string> run() {
    // Several pilots may end together; if a job must be replaced, only one process may do it.
    const FolderLock lock(out_.root / ".lower.lock", "update-limits", FileLock::Inherit::no,
                          lock_timeout_s);
    const Journal journal(out_.journal());
    for (auto& [point, row] : open_forecasts(out_)) {
      const auto job = journal.jobs().find(point);
      if (job == journal.jobs().end() || std::isnan(row.asked_s) || row.job == job->second) {
        continue;
      }
      if (journal.points_of(job->second) > 1) {
        continue;  // its limit is that of all of them, and from forecasts
      }
      if (const auto current = set_limit(row, job->second)) {
        if (*current == job->second && !std::isnan(row.memory_asked_bytes)) {
          lower_memory(row, *current);
        }
        row.job = *current;
        put_in_ledgers(out_, {row}, tell_);
      }
    }
    return std::move(problems_);
  }

 private:
  /// Returns the job that has the point now; nothing if Slurm does not know the job.
  std::optional<std::string> set_limit(ledger::LedgerRow& row, const std::string& job) {
    const auto info = scheduler().info(job);
    if (!info) {
      return std::nullopt;
    }
    if (info->time_limit_s <= row.asked_s) {
      return job;
    }
    const auto why = scheduler().change(
        job, {.limit = Seconds{row.asked_s}, .least_limit = least_limit(row, cluster_)});
    if (why.empty()) {
      return job;
    }
    const auto fresh = is_pending(job) ? replace(row, job, why) : std::nullopt;
    if (!fresh) {
      row.asked_s = info->time_limit_s;
      remark(row, fmt::format("job {} keeps its limit: {}", job, why));
    }
    return fresh.value_or(job);
  }

  /// The script reads what its job asks for when it starts, and a job that waits does not start
  /// here: it waits for this one.
  void lower_memory(ledger::LedgerRow& row, const std::string& job) const {
    const Journal journal(out_.journal());
    const auto* last = journal.last(row.point);
    const Bytes memory{static_cast<std::int64_t>(row.memory_asked_bytes)};
    if ((last != nullptr && last->memory == to_text(memory)) || !is_pending(job)) {
      return;
    }
    set_memory(out_, row.point, to_text(memory));
    const auto site = profile_of(cluster_, row.allocation);
    const auto why = scheduler().change(job, {.memory = memory_update(site, memory)});
    if (!why.empty()) {
      set_memory(out_, row.point, last == nullptr ? "" : last->memory);
      row.memory_asked_bytes = ledger::not_known;
      remark(row, fmt::format("job {} keeps its memory: {}", job, why));
    }
  }

  static bool is_pending(const std::string& job) {
    const auto queue = scheduler().queue();
    return std::any_of(queue.jobs.begin(), queue.jobs.end(), [&](const slurm::Job& known) {
      return known.id == job && slurm::waits(known.state);
    });
  }

  /// Submits another job with the lower limit; nothing if that is refused too.
  std::optional<std::string> replace(ledger::LedgerRow& row, const std::string& job,
                                     const std::string& why) {
    SubmitRequest request{.out = out_.root, .filters = {}, .points = {row.point}};
    ask_as_forecast(row, cluster_, request);
    request.replace = true;
    request.lock_timeout_s = lock_timeout_s;
    const auto report = submit(request);
    if (report.submitted != 1) {
      for (const auto& problem : report.problems) {
        tell_(problem);
      }
      return std::nullopt;
    }
    auto fresh = Journal(out_.journal()).jobs().at(row.point);
    remark(row, fmt::format("job {} replaces job {}: the site refused to lower its limit: {}",
                            fresh, job, why));
    if (const auto error = scheduler().cancel(job); !error.empty()) {
      problems_.push_back(fmt::format("{}: job {} was not cancelled: {}; run 'scancel {}'",
                                      row.point, job, error, job));
    }
    return fresh;
  }

  void remark(ledger::LedgerRow& row, std::string text) const {
    tell_(fmt::format("{}: {}", row.point, text));
    row.remark = row.remark.empty() ? std::move(text) : row.remark + "; " + text;
  }

  const OutFolder& out_;
  const Tell& tell_;
  Cluster cluster_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> update_limits(const std::string& out, const std::string& pilot,
                                       const Tell& tell) {
  const OutFolder folder(out);
  read_index(folder);
  require_made_here(folder);
  if (read_plan(folder).empty()) {
    throw Error(fmt::format("{}: has no plan (no plan.csv), so no job waits for '{}'",
                            folder.root.string(), pilot));
  }
  const auto rows = forecasts_from(folder, pilot);
  put_in_ledgers(folder, rows, tell);
  const auto swept = swept_values(read_index(folder));
  for (const auto& row : rows) {
    tell(fmt::format("{}: {}", shown_name(row.point, swept.at(row.point)), forecast_text(row)));
  }
  return read_origin(folder).cluster.is_local() ? std::vector<std::string>{}
                                                : update_pending_jobs(folder, tell);
}

std::vector<std::string> update_pending_jobs(const OutFolder& out, const Tell& tell) {
  return Lowering(out, tell).run();
}

}  // namespace epochcast::jobs
