#include "jobs/live/watcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/scheduler/local.hpp"
#include "jobs/submit/cancel.hpp"
#include "jobs/submit/notify.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/record/json_lines.hpp"

namespace epochcast::jobs {
namespace {

using SteadyTime = std::chrono::steady_clock;

constexpr auto pause_of_records = std::chrono::seconds(1);
constexpr auto pause_of_states = std::chrono::seconds(2);
constexpr auto pause_of_scheduler = std::chrono::seconds(10);  // it has other users

bool asks_scheduler(const StatusReport& report) {
  return std::ranges::any_of(report.points, [](const PointStatus& point) {
    return !point.job.empty() && !is_local_job(point.job);
  });
}

std::string note_of(const StatusReport& report) {
  if (!report.made_as.empty()) {
    return fmt::format("a copy of {}, where its jobs write: no record is changed here",
                       report.made_as);
  }
  return report.scheduler_problem.empty()
             ? ""
             : fmt::format("the controller does not answer ({}): states are those of the records",
                           report.scheduler_problem);
}

std::string cancel_now(const std::string& out, const PointStatus& point) {
  const OutFolder folder(out);
  require_made_here(folder);
  auto problem = why_not_cancelled(point);
  const bool alone = point.points_of_job > 1 && goes_on(point, {point}, status(out).points);
  if (problem.empty()) {
    problem = alone ? cancel_alone(folder, point, Cancel::after_saving)
                    : jobs::cancel(folder, {point}, Cancel::after_saving);
  }
  return !problem.empty() ? fmt::format("{}: {}", point.point, problem)
         : alone
             ? fmt::format("{} is being cancelled; its job {} goes on", point.point, point.job_name)
             : fmt::format("job {} is being cancelled", point.job_name);
}

std::string resubmit_now(const std::string& out, const PointStatus& point) {
  const auto report = resubmit(
      {.out = out, .filters = {}, .points = {point.point}},
      {.failed = true, .timeout = true, .missing = true, .tainted = true, .disturbed = true});
  if (!report.submitted.problems.empty()) {
    return join(report.submitted.problems, "; ");
  }
  if (report.points.empty()) {
    return point.point + " cannot be submitted again now";
  }
  return read_origin(OutFolder(out)).cluster.is_local()
             ? fmt::format("{} can run again: 'epochcast-jobs run {}'", point.point, out)
             : point.point + " was submitted again";
}

/// Threads inherit the mask: signals go to the thread that has the screen.
std::jthread start(std::function<void(const std::stop_token&)> run) {
  const BlockedSignals blocked;
  return std::jthread(std::move(run));
}

}  // namespace

Watcher::Watcher(std::string out, std::vector<std::string> filters)
    : out_(std::move(out)),
      filters_(std::move(filters)),
      snapshot_(std::make_shared<Snapshot>(Snapshot{.folder = out_})),
      thread_(start([this](const std::stop_token& stop) { run(stop); })) {}

Watcher::~Watcher() {
  thread_.request_stop();
}

std::shared_ptr<const Snapshot> Watcher::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

std::vector<std::string> Watcher::take_messages() {
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

void Watcher::refresh() {
  put([] {});
}

void Watcher::cancel(const PointStatus& point) {
  put([this, point] { tell_result([&] { return cancel_now(out_, point); }); });
}

void Watcher::resubmit(const PointStatus& point) {
  put([this, point] { tell_result([&] { return resubmit_now(out_, point); }); });
}

void Watcher::put(std::function<void()> action) {
  {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(action));
  }
  changed_.notify_one();
}

void Watcher::tell(const std::string& message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(message);
}

void Watcher::tell_result(const std::function<std::string()>& action) {
  try {
    tell(action());
  } catch (const std::exception& error) {
    tell(error.what());
  }
}

void Watcher::run(const std::stop_token& stop) {
  auto states_at = SteadyTime::time_point::min();
  while (!stop.stop_requested()) {
    std::deque<std::function<void()>> actions;
    {
      std::unique_lock lock(mutex_);
      actions.swap(actions_);
    }
    for (const auto& action : actions) {
      action();
    }
    const auto began = SteadyTime::now();
    if (!actions.empty() || began >= states_at) {
      read_all();
      const auto took = SteadyTime::now() - began;
      states_at = SteadyTime::now() +
                  std::max<SteadyTime::duration>(
                      asks_scheduler(report_) ? pause_of_scheduler : pause_of_states, 5 * took);
    } else {
      read_running();
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, pause_of_records, [&] { return !actions_.empty(); });
  }
}

void Watcher::read_all() {
  try {
    report_ = status_with_lost_closed(out_, filters_, &tails_);
    note_ = note_of(report_);
    const auto ended = static_cast<std::size_t>(std::ranges::count_if(
        report_.points, [](const PointStatus& point) { return has_ended(point.state); }));
    if (report_.made_as.empty() && ended != ended_) {
      close_ledger_rows(OutFolder(out_), report_.points,
                        [this](const std::string& line) { tell(line); });
      ended_ = ended;
    }
    if (ended == report_.points.size()) {
      notify_if_ended(out_, [this](const std::string& line) { tell(line); });
    }
  } catch (const std::exception& error) {
    note_ = error.what();
  }
  publish();
}

void Watcher::read_running() {
  try {
    for (auto& point : report_.points) {
      if (point.state == PointState::running && !point.record.empty()) {
        const auto path = record::json_lines_path(point.record);
        std::ignore = tails_.read(path);
        point.progress = tails_.progress(path);
      }
    }
  } catch (const std::exception& error) {
    note_ = error.what();
  }
  publish();
}

void Watcher::publish() {
  auto snapshot = snapshot_of(report_, out_, wall_clock_s(), tails_);
  snapshot.note = note_;
  auto shared = std::make_shared<const Snapshot>(std::move(snapshot));
  const std::lock_guard lock(mutex_);
  snapshot_ = std::move(shared);
}

}  // namespace epochcast::jobs
