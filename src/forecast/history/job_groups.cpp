#include "src/forecast/history/job_groups.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "src/base/config/csv_rows.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::history {
namespace {

using slurm::AccountedJob;
using slurm::JobState;

double used_s(const JobGroup& group) {
  double sum_s = 0;
  for (const auto& job : group.jobs) {
    sum_s += job.elapsed_s;
  }
  return sum_s;
}

std::vector<std::size_t> field_places(const std::vector<std::string>& fields) {
  const auto known = group_fields();
  const auto all = run::field_names<AccountedJob>();
  std::vector<std::size_t> places;
  for (const auto& field : fields) {
    if (std::ranges::find(known, field) == known.end()) {
      throw Error(fmt::format("no job has '{}'{}", field, did_you_mean(field, known)));
    }
    places.push_back(static_cast<std::size_t>(std::ranges::find(all, field) - all.begin()));
  }
  return places;
}

forecast::PastTime past_time(const AccountedJob& job) {
  return {.elapsed_s = job.elapsed_s,
          .cut_off = job.state == JobState::timeout,
          .limit_s = job.limit_s > 0 ? job.limit_s : 0,
          .submitted_at_s = slurm::parse_stamp_s(job.submitted_at).value_or(0),
          .ended_at_s = slurm::parse_stamp_s(job.ended_at).value_or(0)};
}

void add_time(const forecast::PastTime& time, GroupTimes& group) {
  group.times.push_back(time);
  if (time.limit_s > 0) {
    ++group.limited;
    group.at_limit += time.cut_off ? 1 : 0;
    group.asked_s += time.limit_s;
    group.used_s += std::min(time.limit_s, time.elapsed_s);  // Slurm ends a job some time after it
  }
}

}  // namespace

const std::vector<std::string>& default_group() {
  static const std::vector<std::string> fields{
      "user", "job_name", "work_dir", "script", "partition", "nodes", "cpus", "gpus", "gpu"};
  return fields;
}

std::vector<std::string> group_fields() {
  return {"cluster",   "user",  "account", "job_name", "work_dir", "script",
          "partition", "nodes", "cpus",    "gpus",     "gpu",      "limit_s"};
}

std::vector<JobGroup> group_jobs(const std::vector<AccountedJob>& jobs,
                                 const std::vector<std::string>& fields) {
  const auto places = field_places(fields);
  std::map<std::vector<std::string>, JobGroup> by_values;
  for (const auto& job : jobs) {
    const auto cells = run::cells_of_row(job);
    std::vector<std::string> values;
    for (const auto place : places) {
      values.push_back(cells[place]);
    }
    auto& group = by_values[values];
    group.values = std::move(values);
    group.jobs.push_back(job);
  }
  std::vector<JobGroup> groups;
  for (auto& [values, group] : by_values) {
    groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, std::greater<>(), used_s);
  return groups;
}

GroupTimes times_of(const std::vector<AccountedJob>& jobs) {
  GroupTimes group;
  for (const auto& job : jobs) {
    switch (job.state) {
      case JobState::completed:
      case JobState::timeout:
        if (job.restarts > 0) {
          ++group.disturbed;
        } else {
          add_time(past_time(job), group);
        }
        break;
      case JobState::failed:
      case JobState::out_of_memory:
        ++group.failed;
        break;
      case JobState::cancelled:
      case JobState::deadline:
        ++group.cancelled;
        break;
      default:
        ++group.disturbed;
    }
  }
  return group;
}

forecast::Backtest backtest(const GroupTimes& group) {
  std::vector<forecast::PastTime> dated;
  std::ranges::copy_if(group.times, std::back_inserter(dated), [](const auto& time) {
    return time.submitted_at_s > 0 && time.ended_at_s > 0;
  });
  return forecast::backtest(std::move(dated));
}

NamePattern::NamePattern(const std::string& text) : glob_(text) {
  if (text.empty()) {
    throw Error("name pattern: found '', expected a pattern such as 'train-*' or '/^train/'");
  }
  if (text.size() >= 2 && text.front() == '/' && text.back() == '/') {
    expression_.emplace(text.substr(1, text.size() - 2), "name pattern");
  }
}

bool NamePattern::matches(const std::string& name) const {
  return expression_ ? expression_->find(name).has_value()
                     : fnmatch(glob_.c_str(), name.c_str(), 0) == 0;
}

bool matches_any(const std::vector<NamePattern>& patterns, const std::string& name) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const NamePattern& pattern) {
           return pattern.matches(name);
         });
}

}  // namespace epochcast::history
