#include "analysis/validate/accounted_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/base/config/csv_rows.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::analysis {
namespace {

double stamp_or_never_s(const std::string& text) {
  return slurm::parse_stamp_s(text).value_or(std::numeric_limits<double>::infinity());
}

/// "2021-05-01 00:06:13", as such tables have it.
double submitted_s(const CsvFile& file, std::size_t row) {
  auto text = file.text(row, "submit");
  std::ranges::replace(text, ' ', 'T');
  const auto stamp = slurm::parse_stamp_s(text);
  if (!stamp) {
    throw Error(fmt::format("submit: found '{}', expected a time such as 2021-05-01 00:06:13",
                            file.text(row, "submit")));
  }
  return *stamp;
}

double number_at(const CsvFile& file, std::size_t row, const std::string& column) {
  const auto number = file.number(row, column);
  if (!number || *number < 0) {
    throw Error(fmt::format("{}: found '{}', expected a number of at least 0", column,
                            file.text(row, column)));
  }
  return *number;
}

slurm::AccountedJob job_at(const CsvFile& file, std::size_t row) {
  const auto stamp = [](double time_s) { return fmt::format("{:.0f}", time_s); };
  const auto count = [&](const std::string& column) {
    return static_cast<std::int64_t>(number_at(file, row, column));
  };
  const double submit_s = submitted_s(file, row);
  const double start_s = submit_s + number_at(file, row, "start_after_s");
  slurm::AccountedJob job;
  job.job = file.text(row, "job");
  job.user = job.account = file.text(row, "account");
  job.partition = file.text(row, "partition");
  job.nodes = count("nodes");
  job.cpus = count("cpus");
  job.gpus = count("gpus");
  job.submitted_at = stamp(submit_s);
  job.eligible_at = stamp(submit_s + file.number(row, "eligible_after_s").value_or(0));
  job.started_at = stamp(start_s);
  job.elapsed_s = number_at(file, row, "elapsed_s");
  job.ended_at = stamp(start_s + job.elapsed_s);
  job.limit_s = file.number(row, "limit_s").value_or(job.limit_s);
  run::read_cell(file.text(row, "state"), job.state);
  return job;
}

std::vector<slurm::AccountedJob> published_jobs(const CsvFile& file, ExcludedRows& excluded) {
  file.require({"submit", "start_after_s", "elapsed_s", "limit_s", "partition", "account", "nodes",
                "cpus", "gpus", "state"});
  std::vector<slurm::AccountedJob> jobs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    try {
      jobs.push_back(job_at(file, row));
    } catch (const Error& error) {
      excluded.add(file.place(row), error.what());
    }
  }
  return jobs;
}

std::vector<slurm::AccountedJob> jobs_of_history(const CsvFile& file, ExcludedRows& excluded) {
  std::vector<std::string> damaged;
  auto jobs = run::rows_of_csv<slurm::AccountedJob>(file.path(), read_text_or_gzip(file.path()),
                                                    "submitted_at", "a history of jobs", &damaged);
  for (const auto& line : damaged) {
    excluded.add(line, "damaged");
  }
  return jobs;
}

}  // namespace

std::string accounted_columns() {
  return "those of a history of 'import sacct', or submit,start_after_s,elapsed_s,limit_s,"
         "partition,account,nodes,cpus,gpus,state[,eligible_after_s]";
}

std::vector<slurm::AccountedJob> accounted_jobs(const CsvFile& file, ExcludedRows& excluded) {
  auto jobs =
      file.has("submitted_at") ? jobs_of_history(file, excluded) : published_jobs(file, excluded);
  if (jobs.empty()) {
    throw Error(fmt::format("{}: no row can be used; {}", file.path(),
                            excluded.note().value_or("there is none")));
  }
  std::ranges::stable_sort(jobs, {}, [](const auto& job) { return times_of(job).submitted_s; });
  return jobs;
}

std::vector<JobPart> job_parts(double first_s, double last_s) {
  const double middle_s = (first_s + last_s) / 2;
  return {{"all", [](double, std::int64_t) { return true; }},
          {"first half of the time", [=](double at_s, std::int64_t) { return at_s < middle_s; }},
          {"second half of the time", [=](double at_s, std::int64_t) { return at_s >= middle_s; }},
          {"with a GPU", [](double, std::int64_t gpus) { return gpus > 0; }},
          {"without a GPU", [](double, std::int64_t gpus) { return gpus == 0; }}};
}

JobTimes times_of(const slurm::AccountedJob& job) {
  const double submit_s = stamp_or_never_s(job.submitted_at);
  return {.submitted_s = submit_s,
          .eligible_s = slurm::parse_stamp_s(job.eligible_at).value_or(submit_s),
          .started_s = stamp_or_never_s(job.started_at),
          .ended_s = stamp_or_never_s(job.ended_at)};
}

}  // namespace epochcast::analysis
