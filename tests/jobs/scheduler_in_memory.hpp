// A scheduler in memory: a test writes what it knows, and reads what it was asked.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/scheduler/scheduler.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs::test {

class SchedulerInMemory : public Scheduler {
 public:
  enum class Fault {
    none,
    down,          ///< It does not answer.
    refuses,       ///< It takes no job.
    loses_answer,  ///< It takes jobs, but its answer does not arrive.
    kills_caller   ///< It takes a job, and who submits it learns nothing more: throws this value.
  };
  Fault fault = Fault::none;

  std::vector<slurm::Job> jobs;                  ///< The queue.
  std::optional<std::vector<slurm::Job>> ended;  ///< The accounting; nothing: it is off.
  std::map<std::string, slurm::JobInfo> infos;
  std::map<std::string, std::string> nodes;  ///< Of jobs.
  std::vector<slurm::NodeFailure> failures;
  slurm::Site partitions;
  slurm::ClusterState cluster;
  bool refuses_exclude = false;       ///< A job that leaves out nodes.
  std::string refuses_change;         ///< Why it changes no job.
  std::string refuses_cancel;         ///< Why it cancels none.
  std::function<void()> while_asked;  ///< Before it tells its queue.

  std::vector<JobRequest> requests;    ///< Those that it took or refused.
  std::vector<std::string> cancelled;  ///< Jobs.
  std::vector<std::pair<std::string, JobChange>> changes;

  /// The queue and the accounting, in the lines of squeue and sacct.
  void queue_is(const std::string& lines) { jobs = slurm::parse_queue(lines); }
  void accounting_is(const std::string& lines) { ended = slurm::parse_accounting(lines); }
  void becomes(const std::string& job, slurm::JobState state, const std::string& reason = "") {
    for (auto& known : jobs) {
      if (known.id == job) {
        known.state = state;
        known.reason = reason;
      }
    }
  }
  /// The requests as calls of sbatch.
  std::vector<std::string> calls() const {
    std::vector<std::string> calls;
    for (const auto& request : requests) {
      calls.push_back(join(sbatch_words(request), " "));
    }
    return calls;
  }
  /// How many jobs it took.
  long taken() const { return taken_; }

  SubmitAnswer submit(const JobRequest& request) override {
    using enum SubmitAnswer::Kind;
    if (fault == Fault::down) {
      return {unknown, down};
    }
    requests.push_back(request);
    if (fault == Fault::refuses || (refuses_exclude && !request.exclude.empty())) {
      return {refused, "Invalid account or account/partition combination specified"};
    }
    const auto id = std::to_string(++taken_);
    const auto name = request.job_name.empty() ? std::filesystem::path(request.script).stem()
                                               : std::filesystem::path(request.job_name);
    for (std::size_t i = 0; i < std::max<std::size_t>(1, request.elements); ++i) {
      jobs.push_back({.id = id,
                      .name = request.elements == 0 ? id : id + "_" + std::to_string(i),
                      .state = slurm::JobState::pending,
                      .reason = "Priority",
                      .comment = request.comment,
                      .job_name = name});
    }
    if (fault == Fault::kills_caller) {
      throw fault;
    }
    return fault == Fault::loses_answer ? SubmitAnswer{unknown, "Socket timed out"}
                                        : SubmitAnswer{job, id};
  }

  std::string change(const std::string& job, const JobChange& change) override {
    changes.emplace_back(job, change);
    return refuses_change;
  }
  std::string cancel(const std::string& job) override {
    cancelled.push_back(job);
    return refuses_cancel;
  }
  std::string ask_to_stop(const std::string& job, double) override { return cancel(job); }

  slurm::Jobs queue() override {
    if (while_asked) {
      while_asked();
    }
    return fault == Fault::down ? slurm::Jobs{false, down, {}} : slurm::Jobs{true, "", jobs};
  }
  slurm::Jobs accounting(const std::vector<std::string>&) override { return all_ended(); }
  slurm::Jobs accounting_by_job_name(const std::string&) override { return all_ended(); }
  std::optional<slurm::JobInfo> info(const std::string& job) override {
    const auto known = infos.find(job);
    return known == infos.end() ? std::nullopt : std::optional(known->second);
  }
  std::string node_list_of(const std::string& job) override { return nodes[job]; }

  slurm::Site site() override { return partitions; }
  slurm::ClusterState state() override { return cluster; }
  std::vector<slurm::NodeFailure> node_failures(std::int64_t) override { return failures; }
  std::optional<SiteLimits> limits() override { return SiteLimits{.max_array_size = 3}; }

 private:
  static constexpr const char* down = "Unable to contact slurm controller (connect failure)";

  slurm::Jobs all_ended() const {
    return {ended.has_value(), ended ? "" : "Slurm accounting storage is disabled",
            ended.value_or(std::vector<slurm::Job>{})};
  }

  long taken_ = 0;
};

}  // namespace epochcast::jobs::test
