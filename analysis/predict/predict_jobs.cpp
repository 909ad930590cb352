// The wait and the run time of each job of a history from the jobs before it.
#include <algorithm>
#include <cmath>

#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_columns.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/history/history_file.hpp"
#include "src/forecast/history/past_runs.hpp"
#include "src/forecast/queue/past_waits.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::analysis {
namespace {

/// A job that is part of a batch.
struct JobRow {
  std::string job;
  std::size_t batch;
  std::optional<forecast::Prediction> found;  ///< Nothing: refused.
  double limit_s = 0;                         ///< 0: its own.

  const forecast::Prediction* answer() const { return found ? &*found : nullptr; }
};

/// Waits NaN seconds without a time of start.
queue::PastJob past_job(const slurm::AccountedJob& job) {
  const auto stamp_s = [](const std::string& text) {
    return slurm::parse_stamp_s(text).value_or(std::nan(""));
  };
  const auto nodes = std::max<std::int64_t>(1, job.nodes);
  queue::PastJob past{.partitions = split(job.partition, ','), .account = job.account};
  past.job.user = job.user.empty() ? job.account : job.user;
  past.job.count = static_cast<std::size_t>(nodes);
  past.job.each = {job.cpus / nodes, 0, job.gpus / nodes};
  past.job.limit_s = job.limit_s > 0 ? job.limit_s : queue::never_s;
  past.eligible_s = slurm::parse_stamp_s(job.eligible_at).value_or(stamp_s(job.submitted_at));
  past.started_s = stamp_s(job.started_at);
  past.has_started = true;
  return past;
}

/// A row for each job of a batch, with what `answer` says of the batch.
template <class Past, class Answer>
std::vector<JobRow> rows_of(const Past& past, const std::vector<slurm::AccountedJob>& jobs,
                            Answer answer) {
  std::vector<JobRow> rows;
  for (std::size_t batch = 0; batch < past.batches().size(); ++batch) {
    JobRow row{.job = "", .batch = batch, .found = {}};
    answer(batch, row);
    for (const auto job : past.batches()[batch]) {
      row.job = jobs[job].job;
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<JobRow> waits(std::vector<slurm::AccountedJob> jobs) {
  std::erase_if(jobs, [](const auto& job) { return !std::isfinite(past_job(job).wait_s()); });
  std::ranges::stable_sort(jobs, {}, [](const auto& job) { return past_job(job).eligible_s; });
  const queue::PastWaits past(mapped(jobs, past_job));
  return rows_of(past, jobs,
                 [&](std::size_t batch, JobRow& row) { row.found = past.forecast_s(batch); });
}

std::vector<JobRow> run_times(const std::vector<slurm::AccountedJob>& jobs) {
  const history::PastRuns past(jobs);
  return rows_of(past, jobs, [&](std::size_t batch, JobRow& row) {
    if (const auto made = past.forecast(batch)) {
      row.found = made->time_s;
      row.limit_s = forecast::limit_from(made->needs_s);
    }
  });
}

}  // namespace

Answers predict_jobs(const std::vector<std::string>& paths, const std::string& what) {
  if (what != "waits" && what != "times") {
    throw Error("--jobs: found '" + what + "', expected waits or times");
  }
  Answers answers;
  for (const auto& path : paths) {
    std::vector<std::string> damaged;
    const auto jobs = history::read_history(path, &damaged);
    for (const auto& line : damaged) {
      cli::report("left out: " + line);
    }
    const auto rows = what == "waits" ? waits(jobs) : run_times(jobs);
    answers.forecasts += static_cast<std::size_t>(
        std::ranges::count_if(rows, [](const JobRow& row) { return row.found.has_value(); }));
    table::Columns<JobRow> columns{{"job", "job", &JobRow::job},
                                   {"batch", "batch", "", 0, &JobRow::batch}};
    columns.add(prediction_columns("forecast", "forecast"), &JobRow::answer);
    if (what == "times") {
      columns.add({{"limit_s", "limit", "s", 0,
                    [](const JobRow& row) { return table::positive_cell(row.limit_s); }}});
    }
    answers.tables.push_back(
        table::make_table("jobs", "Each job of " + path + " from those before it", columns, rows));
  }
  return answers;
}

}  // namespace epochcast::analysis
