// Detects within seconds that a rank is gone, even if this rank waits in a collective operation:
// the heartbeat has its own thread and a connection separate from the training. Every rank sends a
// heartbeat to rank 0 once a second, and rank 0 sends one to every rank.
//
// If a process ends, its connection closes, which is detected at once. If a process is stopped
// (SIGSTOP), or loses its node or network, it sends no heartbeat, which is detected after
// `silence_s`.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/training/ranks/failure.hpp"
#include "src/training/ranks/rendezvous.hpp"

namespace epochcast::ranks {

/// Each time is longer than the one before, so that every step finds the previous one done: silence
/// of a rank (20 s), grace of rank 0 (25 s) and of the other ranks (27 s), the wait of another rank
/// for the end of rank 0 (30 s, RankGroup::must_report), the wait of srun and `epochcast-jobs
/// launch` after a failed task (30 s).
struct HeartbeatTimes {
  double beat_s = 1;
  double silence_s = 20;  ///< A rank that sends no heartbeat for this time is lost.
  double doubt_s = 10;    ///< A rank that ends after this long without a heartbeat was stopped.
  /// A rank that still runs this long after a loss is ended. The time starts again when the rank
  /// shows that it is not stuck (fail, first_ends). Ranks other than 0 have two heartbeat intervals
  /// more, so that they see whether rank 0 was stuck.
  double grace_s = 25;
};

class Heartbeat {
 public:
  Heartbeat(const Member& me, Rendezvous rendezvous, const HeartbeatTimes& times = {});
  ~Heartbeat();
  Heartbeat(Heartbeat&&) = delete;

  const std::vector<Member>& members() const { return members_; }

  /// Why the run cannot continue, in one line that names the rank; std::nullopt while it can.
  std::optional<Failure> loss() const;

  /// Calls `handler` once with the text of the loss, from the heartbeat's thread; at once if a rank
  /// is already lost.
  void on_loss(std::function<void(const std::string&)> handler);

  /// Reports to the other ranks that this rank fails with `failure`. Returns why the run as a whole
  /// fails: this may be the failure of another rank that was detected here first.
  [[nodiscard]] Failure fail(const Failure& failure);

  /// On a rank other than 0: waits up to `timeout_s` for the end of rank 0. Returns whether it has
  /// ended.
  [[nodiscard]] bool first_ends(double timeout_s);

  /// Returns when all ranks have called this; rank 0 returns last. Throws RunError with the text of
  /// the loss.
  void leave();

 private:
  struct Peer {
    Link link;
    double received_at_s = 0;
    bool left = false;
    bool silent = false;  ///< Gone or stopped.
  };
  void watch();
  void wait_for_messages();
  void receive_from(Peer& peer, double now_s);
  void lose(const Failure& failure);
  void end_if_on_this_host(const Member& member) const;
  void send_to_all(std::string_view line);
  bool wait_until(double timeout_s, const std::function<bool()>& condition) const;
  Failure reason_to_fail(const Failure& failure);
  void begin_grace(double in_s);
  bool is_stuck(double now_s) const;
  [[noreturn]] void give_up() const;

  const Member me_;
  const HeartbeatTimes times_;
  std::vector<Member> members_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Peer> peers_;
  std::optional<Failure> loss_;
  double grace_from_s_ = 0;
  std::function<void(const std::string&)> on_loss_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace epochcast::ranks
