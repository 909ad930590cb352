#include "jobs/submit/submit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "jobs/campaign/claims.hpp"
#include "jobs/campaign/earlier_files.hpp"
#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "jobs/cluster/sbatch_options.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/ledger/margin.hpp"
#include "jobs/scheduler/limits.hpp"
#include "jobs/scheduler/local.hpp"
#include "jobs/script/pack_script.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "jobs/script/shell_file.hpp"
#include "jobs/submit/exclude.hpp"
#include "jobs/submit/fill_packs.hpp"
#include "jobs/submit/reconcile.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/host_list.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::jobs {
namespace {

std::string new_token() {
  std::random_device source;
  const auto bits = (static_cast<std::uint64_t>(source()) << 32U) | source();
  return fmt::format("{}{:016x}", token_prefix, bits);
}

/// The points of one call of sbatch.
struct Batch {
  std::string allocation;
  std::vector<std::string> points;
  std::vector<double> needs_s = {};   ///< Of each point of a pack; 0: not known.
  std::optional<Seconds> limit = {};  ///< Of the job, in place of that in its script.
  Bytes memory = {};  ///< Of each point of a pack, in place of the allocation's; 0: that.
};

/// Adds names of nodes, or "gpu[01,03]", to a list with commas, unless it ends with them already.
void add_nodes(std::string& list, const std::string& more) {
  if (("," + list + ",").find("," + more + ",") == std::string::npos) {
    list += (list.empty() ? "" : ",") + more;
  }
}

PackPoint pack_point(const std::string& point, const ledger::LedgerRow& row, Seconds signal_lead) {
  if (std::isnan(row.needed_s)) {
    return {point};
  }
  const double high_s = without_margin_s(row.needed_s, signal_lead);
  const double spread_s = row.high_95_s - row.forecast_s;
  return {point, std::isnan(spread_s) ? high_s : high_s - spread_s, high_s};
}

class Submitter {
 public:
  explicit Submitter(const SubmitRequest& request)
      : request_(request),
        out_(request.out),
        origin_(read_origin(out_)),
        journal_(read_journal(out_)),
        selected_(request.points.begin(), request.points.end()) {}

  SubmitReport run() {
    const bool is_here = LocalScheduler::here() != nullptr;
    if (origin_.cluster.is_local() && !is_here) {
      throw Error(fmt::format("cluster '{}' has no scheduler; use 'epochcast-jobs run {}'",
                              origin_.cluster.name, request_.out));
    }
    if (!request_.dry_run && is_here == origin_.cluster.is_local()) {
      report_.found = reconcile(journal_, out_);
    }
    if (request_.keep || (!request_.dry_run && !notify_commands(origin_.cluster).empty())) {
      keep();
    }
    const auto batches = request_.array ? array_batches() : batches_of_jobs();
    for (const auto& batch : batches) {
      if (!refused_.contains(batch.allocation)) {
        send(batch);
      }
    }
    return std::move(report_);
  }

 private:
  /// The points to submit, by allocation, in the order of the index.
  std::vector<Batch> todo() {
    const auto claims = read_claims(out_);
    std::set<std::string> open;  // a run here heeds the claim alone
    for (const auto& submission : journal_.open()) {
      open.insert(submission.points.begin(), submission.points.end());
    }
    std::vector<Batch> batches;
    for (const auto& row : select(read_index(out_), request_.filters)) {
      const auto& point = row[Index::point];
      if (row[Index::current] != "yes" || !is_selected(point)) {
        continue;
      }
      if ((journal_.jobs().contains(point) && !request_.replace) || claims.contains(point) ||
          (open.contains(point) && LocalScheduler::here() == nullptr)) {
        ++report_.had;
        continue;
      }
      if (batches.empty() || batches.back().allocation != row[Index::allocation]) {
        batches.push_back({row[Index::allocation], {}});
      }
      batches.back().points.push_back(point);
    }
    return batches;
  }

  void keep() {
    std::vector<std::string> points;
    for (const auto& batch : todo()) {
      std::ranges::copy_if(batch.points, std::back_inserter(points),
                           [&](const auto& point) { return !journal_.wanted().contains(point); });
    }
    report_.had = 0;  // todo() counts
    if (!points.empty()) {
      journal_.want(points);
    }
  }

  bool is_selected(const std::string& point) const {
    return selected_.empty() || selected_.contains(point);
  }

  /// A job for each point, or for several where the allocation packs them.
  std::vector<Batch> batches_of_jobs() {
    std::vector<Batch> jobs;
    for (const auto& batch : todo()) {
      const auto* site = find_profile(origin_.cluster, batch.allocation);
      const bool packs = site != nullptr && site->pack.is_used() && request_.pack;
      std::vector<std::string> together;
      for (const auto& point : batch.points) {
        if (packs && !request_.after.contains(point) && !asks_for_itself(point, *site)) {
          together.push_back(point);
        } else {
          jobs.push_back({batch.allocation, {point}});
        }
      }
      if (!together.empty()) {
        add_packs(together, *site, jobs);
      }
    }
    return jobs;
  }

  void add_packs(const std::vector<std::string>& points, const AllocationProfile& allocation,
                 std::vector<Batch>& jobs) const {
    const auto site = with_lead(allocation, origin_.context.checkpoint_lead);
    const auto forecasts = open_forecasts(out_);
    std::vector<PackPoint> known;
    for (const auto& point : points) {
      const auto row = forecasts.find(point);
      known.push_back(row == forecasts.end()
                          ? PackPoint{point}
                          : pack_point(point, row->second, site.launch.signal_lead));
    }
    for (const auto& pack : fill_packs(std::move(known), site)) {
      auto& job = jobs.emplace_back(Batch{.allocation = site.name, .points = {}});
      job.limit = pack.limit;
      for (const auto& point : pack.points) {
        job.points.push_back(point.point);
        job.needs_s.push_back(std::ceil(point.high_s));
        const auto row = forecasts.find(point.point);
        const auto bytes =
            memory_in_pack(point.point, row == forecasts.end() ? ledger::not_known
                                                               : row->second.memory_asked_bytes);
        job.memory.value = std::max(job.memory.value, bytes.value_or(site.asks.memory.value));
      }
      if (job.memory.value >= site.asks.memory.value) {
        job.memory = {};
      }
    }
  }

  /// What a point of a pack asks for, where that is less than its allocation does: what this call
  /// says, else what its last job had, else its forecast.
  std::optional<std::int64_t> memory_in_pack(const std::string& point, double forecast) const {
    if (const auto asked = request_.memory.find(point); asked != request_.memory.end()) {
      return asked->second.value;
    }
    if (const auto* last = journal_.last(point)) {
      return parse_bytes(last->memory);
    }
    return std::isnan(forecast) ? std::nullopt : std::optional(static_cast<std::int64_t>(forecast));
  }

  /// One array per allocation; several if it is larger than the site allows.
  std::vector<Batch> array_batches() {
    const auto limits = site_limits(out_.site());
    const auto longest = static_cast<std::size_t>(std::max<std::int64_t>(1, limits.max_array_size));
    std::vector<Batch> arrays;
    for (const auto& batch : todo()) {
      for (std::size_t i = 0; i < batch.points.size(); i += longest) {
        const auto end = std::min(batch.points.size(), i + longest);
        arrays.push_back({batch.allocation,
                          {batch.points.begin() + static_cast<std::ptrdiff_t>(i),
                           batch.points.begin() + static_cast<std::ptrdiff_t>(end)}});
      }
    }
    return arrays;
  }

  /// The nodes to leave out, asked once for an allocation.
  const std::vector<std::string>& excluded(const std::string& allocation) {
    const auto [place, is_new] = excluded_.try_emplace(allocation);
    const auto* site = find_profile(origin_.cluster, allocation);
    if (is_new && site != nullptr && site->launch.exclude == "auto" &&
        LocalScheduler::here() == nullptr) {
      if (!nodes_) {
        nodes_ = recent_nodes(out_, origin_.cluster.name);
      }
      auto exclusion =
          exclusion_of(*site, *nodes_, scheduler().state().nodes, scheduler().site().partitions);
      append(report_.notes, std::move(exclusion.lines));
      place->second = std::move(exclusion.nodes);
    }
    return place->second;
  }

  JobRequest job_request(const Submission& submission, const Batch& batch) {
    const bool is_alone = !submission.array && !submission.is_pack();
    JobRequest job{.script = is_alone ? out_.script(submission.points.front())
                                      : out_.arrays() / (submission.token + ".sbatch"),
                   .comment = submission.token,
                   .job_name = is_alone ? "" : job_name_of(submission),
                   .exclude = exclude_of(submission, batch.allocation)};
    if (submission.array) {
      job.elements = submission.points.size();
      job.at_once = request_.throttle;
    } else {
      add_conditions(job, batch);
      job.memory = memory_of(submission, batch.allocation);
    }
    return job;
  }

  std::string memory_of(const Submission& submission, const std::string& allocation) const {
    const auto* site = find_profile(origin_.cluster, allocation);
    const auto memory = parse_bytes(submission.memory);
    if (!memory || site == nullptr) {
      return "";
    }
    auto asks = *site;
    asks.asks.memory = {*memory};
    asks = submission.is_pack() ? packed(std::move(asks)) : asks;
    return memory_option(asks, asks.asks.memory);
  }

  /// The option replaces the one in the script, so it names its nodes too.
  std::vector<std::string> exclude_of(const Submission& submission, const std::string& allocation) {
    auto nodes = excluded(allocation);
    append(nodes, slurm::expand_host_list(submission.exclude));
    const auto* site = find_profile(origin_.cluster, allocation);
    if (nodes.empty() || site == nullptr) {
      return {};
    }
    append(nodes, nodes_excluded_by(*site));
    std::set<std::string> known;
    std::erase_if(nodes, [&](const auto& node) { return !known.insert(node).second; });
    return nodes;
  }

  /// What the job of a point asks for in place of its script. One that asked for more memory than
  /// the script does, or left out nodes, is followed by one that does too.
  void set_asked(Submission& submission, const std::string& allocation) const {
    const auto& point = submission.points.front();
    const auto* site = find_profile(origin_.cluster, allocation);
    const auto* last = journal_.last(point);
    if (submission.array || site == nullptr) {
      return;
    }
    if (const auto memory = request_.memory.find(point); memory != request_.memory.end()) {
      submission.memory = to_text(memory->second);
    } else if (last != nullptr && parse_bytes(last->memory).value_or(0) > site->asks.memory.value) {
      submission.memory = last->memory;
    }
    if (memory_option(*site, {1}).empty()) {
      submission.memory.clear();
    }
    if (anywhere_.contains(point)) {
      return;
    }
    submission.exclude = last == nullptr ? "" : last->exclude;
    if (const auto more = request_.exclude.find(point); more != request_.exclude.end()) {
      add_nodes(submission.exclude, more->second);
    }
  }

  /// Whether the job of a point asks for more than its script does: then it is not packed.
  bool asks_for_itself(const std::string& point, const AllocationProfile& site) const {
    Submission alone{"", "", {point}};
    set_asked(alone, site.name);
    return parse_bytes(alone.memory).value_or(0) > site.asks.memory.value || !alone.exclude.empty();
  }

  std::optional<Seconds> limit_of(const Batch& batch) const {
    const auto limit = request_.limits.find(batch.points.front());
    return limit == request_.limits.end() || batch.points.size() > 1 ? batch.limit
                                                                     : std::optional(limit->second);
  }

  /// The time limit of a job, and the jobs that it waits for.
  void add_conditions(JobRequest& asked, const Batch& batch) const {
    if (const auto limit = limit_of(batch)) {
      asked.limit = limit;
      const auto* site = find_profile(origin_.cluster, batch.allocation);
      const auto least = request_.least_limits.find(batch.points.front());
      if (least != request_.least_limits.end() && batch.points.size() == 1) {
        asked.least_limit = least->second;
      } else if (site != nullptr && site->launch.time_min.value > limit->value) {
        asked.least_limit = limit;  // sbatch refuses more
      }
    }
    if (const auto job = request_.after.find(batch.points.front()); job != request_.after.end()) {
      asked.after_success = job->second;
    }
    // Without an array the throttle is a dependency: each job waits for the N-th job before it.
    const auto& before = journal_.all_jobs();
    const auto lanes = static_cast<std::size_t>(request_.throttle);
    if (lanes > 0 && before.size() >= lanes) {
      asked.after_end = before[before.size() - lanes];
    }
  }

  /// The script of an array or a pack, and its table of points.
  void write_script(const Submission& submission, const Batch& batch) {
    make_folder(out_.arrays());
    const auto table = out_.arrays() / (submission.token + ".points");
    const auto& site = profile_of(origin_.cluster, batch.allocation);
    std::string rows;
    for (std::size_t i = 0; i < batch.points.size(); ++i) {
      rows += submission.array ? batch.points[i] + "\n"
                               : fmt::format("{} {:.0f}\n", batch.points[i], batch.needs_s[i]);
    }
    write_file(table, rows);
    write_file(out_.scripts() / shell_file_name(), shell_functions);
    write_file(out_.arrays() / (submission.token + ".sbatch"),
               submission.array
                   ? array_script_text(site, origin_.context, table)
                   : pack_script_text(site, origin_.context, out_.arrays() / submission.token));
  }

  void send(const Batch& batch) {
    Submission submission{new_token(), iso8601(), batch.points, request_.array};
    if (!submission.is_pack()) {
      set_asked(submission, batch.allocation);
    } else if (batch.memory.value > 0) {
      submission.memory = to_text(batch.memory);
    }
    const auto request = job_request(submission, batch);
    report_.commands.push_back(join(mapped(sbatch_words(request), shell_quote), " "));
    report_.to_submit += batch.points.size();
    if (request_.dry_run) {
      return;
    }
    if (request_.array || submission.is_pack()) {
      write_script(submission, batch);
    }
    journal_.intend(submission);
    for (const auto& point : submission.points) {
      set_memory(out_, point, submission.memory);
      if (auto note = drop_empty_claim(out_, point); !note.empty()) {
        report_.notes.push_back(std::move(note));
      }
    }
    take(submission, batch, scheduler_for_jobs().submit(request));
  }

  void take(const Submission& submission, const Batch& batch, const SubmitAnswer& answer) {
    switch (answer.kind) {
      case SubmitAnswer::Kind::job:
        journal_.submitted(submission.token, answer.text);
        report_.submitted += batch.points.size();
        report_.jobs.push_back({answer.text, batch.allocation, submission.array, batch.points});
        scheduler_for_jobs().begin();
        return;
      case SubmitAnswer::Kind::refused:
        journal_.dropped(submission.token, answer.text);
        if (!submission.exclude.empty() && anywhere_.insert(batch.points.front()).second) {
          send(batch);  // perhaps no other node is left
          return;
        }
        if (!submission.memory.empty() || !submission.exclude.empty()) {
          report_.problems.push_back(fmt::format("{}: {}", batch.points.front(), answer.text));
          return;
        }
        // All points of an allocation request the same, so the others would be refused too.
        refused_.insert(batch.allocation);
        report_.problems.push_back(
            fmt::format("{}: {}; the other points of '{}' were not submitted", batch.points.front(),
                        answer.text, batch.allocation));
        return;
      case SubmitAnswer::Kind::unknown:
        throw RunError(fmt::format(
            "{}: {} ({} submitted before it); nothing is lost, run this command again later",
            batch.points.front(), answer.text, counted(report_.submitted, "point")));
    }
  }

  const SubmitRequest& request_;
  OutFolder out_;
  Origin origin_;
  Journal journal_;
  std::set<std::string> selected_;
  SubmitReport report_;
  std::set<std::string> refused_;
  std::set<std::string> anywhere_;  ///< Points whose jobs were refused without some nodes.
  std::map<std::string, std::vector<std::string>> excluded_;
  std::optional<std::vector<nodes::NodeReport>> nodes_;
};

}  // namespace

FolderLock lock_to_submit(const OutFolder& out, double timeout_s) {
  return {out.root / ".submit.lock", "submit", FileLock::Inherit::no, timeout_s};
}

SubmitReport submit_locked(const SubmitRequest& request) {
  slurm::leave_enclosing_job();
  return Submitter(request).run();
}

SubmitReport submit(const SubmitRequest& request) {
  const OutFolder out(request.out);
  read_index(out);
  require_made_here(out);
  if (request.dry_run) {
    return submit_locked(request);
  }
  const auto lock = lock_to_submit(out, request.lock_timeout_s);
  return submit_locked(request);
}

}  // namespace epochcast::jobs
