// Notices within seconds that a rank is gone, wherever this one waits: a thread of its own and a
// connection apart from those of the training. Every rank tells rank 0 once a second that it lives,
// and rank 0 tells every rank.
//
// A process that ended closes its connection, which is seen at once. One that was stopped
// (SIGSTOP), whose node lost power or whose network is cut says nothing any more, which is seen
// after `silence_s`.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/ranks/rendezvous.hpp"

namespace epochcast::ranks {

/// In their order, so that each step finds the one before it done: silence of a rank (20 s), grace
/// of rank 0 (25) and of the others (27), the wait of another rank for the end of rank 0 (30,
/// RankGroup::speaks), the patience of srun and `epochcast-jobs launch` behind a failed task (30).
struct HeartbeatTimes {
  double beat_s = 1;
  double silence_s = 20;  ///< Without a sign of life for so long, a rank is given up.
  double doubt_s = 10;    ///< Ends a rank after so long a silence, then it was stopped before.
  /// A rank that does not end by itself so long after a loss is ended. It begins anew where the
  /// rank shows that it is not stuck (fail, first_ends); ranks other than 0 have two beats more, so
  /// that they see whether rank 0 was.
  double grace_s = 25;
};

class Heartbeat {
 public:
  Heartbeat(const Member& me, Rendezvous rendezvous, const HeartbeatTimes& times = {});
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  const std::vector<Member>& members() const { return members_; }

  /// Why the run cannot go on, in one line that names the rank; nothing while it can.
  std::optional<std::string> loss() const;

  /// Calls `tell` once with the loss, from a thread of its own; at once if there is one already.
  void on_loss(std::function<void(const std::string&)> tell);

  /// This rank fails with `text`. Returns why the run as a whole fails, which may be another rank's
  /// fault that showed here first, and tells the other ranks.
  std::string fail(const std::string& text);

  /// On another rank than 0: waits up to `timeout_s` for the end of rank 0. Whether it has ended.
  bool first_ends(double timeout_s);

  /// Returns when all ranks have come here, rank 0 last. Throws RunError with the loss.
  void leave();

 private:
  struct Peer {
    Link link;
    double heard_at_s = 0;
    bool left = false;
    bool silent = false;  ///< Gone or stopped.
  };
  void watch();
  void wait_for_news();
  void hear(Peer& peer, double now_s);
  void lose(const std::string& text);
  void end_if_here(const Member& member) const;
  void tell_all(std::string_view line);
  bool wait_until(double timeout_s, const std::function<bool()>& what) const;
  std::string reason_to_fail(const std::string& text);
  void begin_grace(double in_s);
  bool is_stuck(double now_s) const;
  [[noreturn]] void give_up() const;

  const Member me_;
  const HeartbeatTimes times_;
  std::vector<Member> members_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Peer> peers_;
  std::optional<std::string> loss_;
  double grace_from_s_ = 0;
  std::function<void(const std::string&)> tell_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace epochcast::ranks
