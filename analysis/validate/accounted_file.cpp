#include "analysis/validate/accounted_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "src/base/config/csv_rows.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
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

std::string date_of(double time_s) {
  using namespace std::chrono;
  if (!std::isfinite(time_s)) {
    return "an unknown day";
  }
  const year_month_day date{floor<days>(sys_seconds{seconds{static_cast<std::int64_t>(time_s)}})};
  return fmt::format("{}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
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
  auto jobs = run::rows_of_csv<slurm::AccountedJob>(file.path(),
                                                    read_text_or_gzip(file.path(), most_text_mib),
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

std::vector<FileJob> accounted_jobs(const CsvFile& file, const std::vector<CsvFile>& learn,
                                    ExcludedRows& excluded) {
  std::vector<FileJob> jobs;
  const auto add = [&](const CsvFile& from, bool is_scored) {
    const auto found =
        from.has("submitted_at") ? jobs_of_history(from, excluded) : published_jobs(from, excluded);
    if (found.empty()) {
      throw Error(fmt::format("{}: no row can be used; {}", from.path(),
                              excluded.note().value_or("there is none")));
    }
    for (const auto& job : found) {
      const double submitted_s = stamp_or_never_s(job.submitted_at);
      jobs.push_back({.job = job,
                      .submitted_s = submitted_s,
                      .eligible_s = slurm::parse_stamp_s(job.eligible_at).value_or(submitted_s),
                      .started_s = stamp_or_never_s(job.started_at),
                      .ended_s = stamp_or_never_s(job.ended_at),
                      .is_scored = is_scored});
    }
  };
  add(file, true);
  for (const auto& from : learn) {
    add(from, false);
  }
  std::ranges::stable_sort(jobs, {}, &FileJob::submitted_s);
  if (!learn.empty() && jobs.front().is_scored) {
    const auto learned = std::ranges::find_if_not(jobs, &FileJob::is_scored);
    throw Error(fmt::format(
        "--learn: found no job before the first of {0}, expected earlier ones: a job is forecast "
        "only from what was known then, and {0} begins on {1}, what to learn from on {2}. Of files "
        "that overlap in time score the one that begins later, or cut {0} to its jobs after {2}",
        file.path(), date_of(jobs.front().submitted_s), date_of(learned->submitted_s)));
  }
  return jobs;
}

bool any_scored(const std::vector<FileJob>& jobs, const std::vector<std::size_t>& places) {
  return std::ranges::any_of(places, [&](std::size_t place) { return jobs[place].is_scored; });
}

std::string counted_jobs(const std::vector<FileJob>& jobs) {
  const auto scored = static_cast<std::size_t>(std::ranges::count_if(jobs, &FileJob::is_scored));
  return counted(scored, "job") +
         (scored < jobs.size()
              ? fmt::format(", after {} that are only learned from", jobs.size() - scored)
              : "");
}

std::vector<JobPart> job_parts(const std::vector<FileJob>& jobs) {
  const double first_s = std::ranges::find_if(jobs, &FileJob::is_scored)->submitted_s;
  const double middle_s = (first_s + jobs.back().submitted_s) / 2;
  std::vector<JobPart> parts{
      {"all", [](const FileJob&) { return true; }},
      {"first half of the time", [=](const FileJob& job) { return job.submitted_s < middle_s; }},
      {"second half of the time", [=](const FileJob& job) { return job.submitted_s >= middle_s; }},
      {"with a GPU", [](const FileJob& job) { return job.job.gpus > 0; }},
      {"without a GPU", [](const FileJob& job) { return job.job.gpus == 0; }}};
  for (auto& part : parts) {
    part.has = [has = part.has](const FileJob& job) { return job.is_scored && has(job); };
  }
  return parts;
}

}  // namespace epochcast::analysis
