#include "jobs/submit/notify.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/campaign/witness.hpp"
#include "jobs/cluster/notify.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/submit/message.hpp"
#include "jobs/submit/resubmit.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/slurm/job_environment.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {
namespace {

/// Why it was not sent, in one line; "": it was. Nothing: it may have been.
std::optional<std::string> send(const OutFolder& out, const std::string& command,
                                const std::string& subject) {
  constexpr double timeout_s = 60;
  constexpr int killed = 128;
  // Not among the words of a process, where others would see it: it may contain a secret.
  const auto result = process::run_command(
      {"/bin/sh", "-c", R"sh(eval "$EPOCHCAST_COMMAND" <"$EPOCHCAST_TEXT")sh"}, timeout_s,
      {{"EPOCHCAST_COMMAND", command},
       {"EPOCHCAST_SUBJECT", subject},
       {"EPOCHCAST_TEXT", out.message(".txt")},
       {"EPOCHCAST_JSON", out.message(".json")},
       {"EPOCHCAST_OUT", out.root}});
  if (result.timed_out || result.status > killed) {
    return std::nullopt;
  }
  return result.ok() ? ""
                     : fmt::format("exit {}: {}", result.status,
                                   slurm::first_line(result.err + "\n" + result.out));
}

void write_message(const OutFolder& out, const Message& message) {
  write_file(out.message(".txt"), message.text);
  write_file(out.message(".json"), message.json);
}

/// How it is with the message of a folder.
enum class Look {
  nothing,  ///< None is to be sent now.
  unknown,  ///< The controller does not answer, or another process is at it.
  later,    ///< Only jobs that began to end before this one are left.
  sent,
  failed
};

class Notifier {
 public:
  Notifier(const std::string& out, const Tell& tell)
      : out_(out),
        origin_(read_origin(out_)),
        commands_(notify_commands(origin_.cluster)),
        tell_(tell) {}

  /// Whether a look at the jobs may show that a message is due.
  bool may_be_due() const {
    if (commands_.empty() || original_of(out_)) {
      return false;
    }
    const Journal journal(out_.journal());
    return journal.has_begun() && std::ranges::any_of(commands_, [&](const auto& command) {
             return is_due(journal, command);
           });
  }

  /// The job that this process ends for; "": none.
  void note_ending(const std::string& job) {
    own_ = job;
    Journal(out_.journal()).end(job);
  }

  Look look(double patience_s) {
    std::optional<FolderLock> one;
    try {
      one.emplace(out_.root / ".notify.lock", "notify", FileLock::Inherit::no, patience_s);
    } catch (const RunError&) {
      return Look::unknown;
    }
    const auto message = due_message(patience_s);
    return message ? send_all(*message) : look_;
  }

  bool send_test() {
    const auto points = jobs::status(out_.root.string()).points;
    std::vector<EndedPoint> ended;
    for (const auto& point : points) {
      ended.push_back({point, ""});
    }
    auto message = message_of_end(out_, ended);
    message.subject = "Test: " + message.subject;
    message.text = "This is a test; the experiment may go on.\n" + message.text;
    write_message(out_, message);
    bool ok = true;
    for (const auto& command : commands_) {
      ok = tell_end(send(out_, command, message.subject)) && ok;
    }
    return ok;
  }

  bool is_declared() const { return !commands_.empty(); }

 private:
  /// How the journal names the way.
  static std::string key(const std::string& command) { return "command " + command; }

  /// Not if an earlier version has sent it in a way of its own.
  static bool is_due(const Journal& journal, const std::string& command) {
    return std::ranges::none_of(journal.notices(), [&](const auto& notice) {
      const auto& [way, found] = notice;
      return (way == key(command) ||
              !command_of_earlier_way(way.substr(0, way.find(' ')), "").empty()) &&
             !found.is_due();
    });
  }

  /// The message, if the campaign has ended; nobody submits meanwhile. Otherwise sets `look_`.
  std::optional<Message> due_message(double patience_s) {
    look_ = Look::unknown;
    std::optional<FolderLock> submits;
    try {
      submits.emplace(lock_to_submit(out_, patience_s));
    } catch (const RunError&) {
      return std::nullopt;
    }
    const Journal journal(out_.journal());
    if (!may_be_due() || !journal.open().empty() ||
        (origin_.cluster.is_local() && is_locked(out_.root / ".run.lock"))) {
      look_ = Look::nothing;
      return std::nullopt;
    }
    auto report = status_with_lost_closed(out_.root.string());
    if (!report.scheduler_problem.empty()) {
      return std::nullopt;
    }
    std::erase_if(report.points, [&](const PointStatus& point) {
      return !journal.wanted().contains(point.point) && point.jobs == 0;
    });
    auto ended = ended_points(report.points, journal);
    if (!ended) {
      return std::nullopt;
    }
    close_ledger_rows(out_, report.points, tell_);
    return message_of_end(out_, *ended);
  }

  /// All of them; nothing if one has not ended or can have a further attempt. Sets `look_`.
  std::optional<std::vector<EndedPoint>> ended_points(const std::vector<PointStatus>& points,
                                                      const Journal& journal) {
    const RetryPolicy policy(out_);
    std::vector<EndedPoint> ended;
    look_ = Look::nothing;
    bool waits = points.empty();
    for (const auto& point : points) {
      if (is_active(point.state)) {
        if (point.state == PointState::pending || !ends_before_own(point.job, journal)) {
          return std::nullopt;
        }
        waits = true;
        continue;
      }
      const auto next = policy.next(point);
      const bool goes_on = next && next->is_allowed() && policy.is_declared();
      // A job of several points has left it out, and what it submitted did not arrive.
      const bool is_left =
          point.state == PointState::fresh && point.jobs > 0 && !policy.is_declared();
      if (goes_on || (point.state == PointState::fresh && !is_left)) {
        return std::nullopt;
      }
      ended.push_back({point, next && !next->is_allowed() ? next->why_not : ""});
    }
    if (waits) {
      look_ = points.empty() ? Look::nothing : Look::later;
      return std::nullopt;
    }
    return ended;
  }

  /// Of two jobs that end at the same time, the later one sends: each sees the other in the queue.
  bool ends_before_own(const std::string& job, const Journal& journal) const {
    const auto place = [&](const std::string& name) {
      return std::find(journal.ending().rbegin(), journal.ending().rend(), name);
    };
    const auto none = journal.ending().rend();
    return !own_.empty() && place(job) != none && place(job) > place(own_);
  }

  Look send_all(const Message& message) {
    write_message(out_, message);
    Journal journal(out_.journal());
    bool ok = true;
    for (const auto& command : commands_) {
      if (!is_due(journal, command)) {
        continue;
      }
      journal.notify(key(command));
      const auto problem = send(out_, command, message.subject);
      if (problem) {
        journal.notified(key(command), *problem);
      }
      ok = tell_end(problem) && ok;
    }
    return ok ? Look::sent : Look::failed;
  }

  bool tell_end(const std::optional<std::string>& problem) const {
    tell_(!problem           ? "notify: command: no answer; it may have been sent"
          : problem->empty() ? "notify: command: sent"
                             : "notify: command: not sent: " + *problem);
    return problem && problem->empty();
  }

  OutFolder out_;
  Origin origin_;
  std::set<std::string> commands_;
  const Tell& tell_;
  std::string own_;
  Look look_ = Look::nothing;
};

}  // namespace

void notify_if_ended(const std::string& out, const Tell& tell) {
  if (!slurm::variable(slurm::current_environment(), ended_variable).empty()) {
    return;  // the job does so at its end
  }
  std::optional<Notifier> notifier;
  try {
    notifier.emplace(out, tell);
  } catch (const Error&) {  // the caller says so
    return;
  }
  try {
    if (notifier->may_be_due()) {
      notifier->look(0);
    }
  } catch (const std::exception& error) {
    tell(fmt::format("notify: {}", error.what()));
  }
}

bool notify_at_end(const std::string& out, const Tell& tell) {
  constexpr unsigned pause_s = 3;
  constexpr int most_looks = 30;
  const auto ended = slurm::variable(slurm::current_environment(), ended_variable);
  Notifier notifier(out, tell);
  if (!notifier.may_be_due()) {
    return true;
  }
  if (ended.empty()) {
    return notifier.look(0) != Look::failed;
  }
  notifier.note_ending(ended.substr(0, ended.find(' ')));
  auto look = notifier.look(many_jobs_end_s);
  for (int looks = 1; looks < most_looks && (look == Look::later || look == Look::unknown);
       ++looks) {
    sleep(pause_s);
    look = notifier.look(many_jobs_end_s);
  }
  return look == Look::nothing || look == Look::sent;
}

bool notify_test(const std::string& out, const Tell& tell) {
  Notifier notifier(out, tell);
  if (!notifier.is_declared()) {
    throw Error(
        fmt::format("{}: has no 'notify:'; add it to the experiment or the profile, and "
                    "'generate' again",
                    out));
  }
  return notifier.send_test();
}

}  // namespace epochcast::jobs
