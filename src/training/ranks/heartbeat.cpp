#include "src/training/ranks/heartbeat.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/ranks/protocol.hpp"

namespace epochcast::ranks {
namespace {

constexpr int poll_ms = 200;
/// The effect of a failure may arrive before its cause: when a rank dies, the connections of the
/// training break first.
constexpr double cause_timeout_s = 2;
constexpr double echo_timeout_s = 10;

double now_s() {
  return SteadyClock().now_s();
}

/// Whether `process` runs this program: if each rank runs in a container of its own, the id may
/// belong to another process here.
bool runs_this_program(std::int64_t process) {
  std::error_code unknown;
  const auto theirs = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), unknown);
  return !unknown && theirs == std::filesystem::read_symlink("/proc/self/exe", unknown);
}

}  // namespace

Heartbeat::Heartbeat(const Member& me, Rendezvous rendezvous, const HeartbeatTimes& times)
    : me_(me), times_(times), members_(std::move(rendezvous.members)) {
  for (auto& link : rendezvous.links) {
    peers_.push_back({.link = std::move(link), .received_at_s = now_s()});
  }
  thread_ = std::thread([this] { watch(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  thread_.join();
}

void Heartbeat::watch() {
  double turned_at_s = now_s();
  double beaten_at_s = 0;
  for (;;) {
    wait_for_messages();
    std::unique_lock lock(mutex_);
    if (stopping_) {
      return;
    }
    const double turn_s = now_s() - turned_at_s;
    turned_at_s = now_s();
    for (auto& peer : peers_) {
      // This process was stopped, possibly with its whole job: it could not receive anything.
      if (turn_s > times_.silence_s / 2) {
        peer.received_at_s = turned_at_s;
      }
      receive_from(peer, turned_at_s);
    }
    if (turned_at_s - beaten_at_s >= times_.beat_s) {
      beaten_at_s = turned_at_s;
      send_to_all(protocol::alive);
    }
    if (loss_ && on_loss_) {
      const auto handler = std::exchange(on_loss_, nullptr);
      const auto text = loss_->text;
      lock.unlock();
      handler(text);
    } else if (is_stuck(turned_at_s)) {
      give_up();
    }
  }
}

void Heartbeat::wait_for_messages() {
  std::vector<pollfd> waited;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& peer : peers_) {
      if (!peer.link.socket.is_closed()) {
        waited.push_back({peer.link.socket.number(), POLLIN, 0});
      }
    }
  }
  poll(waited.data(), waited.size(), poll_ms);
}

void Heartbeat::receive_from(Peer& peer, double now_s) {
  const auto& who = members_[static_cast<std::size_t>(peer.link.rank)];
  for (const auto& line : peer.link.socket.receive()) {
    peer.received_at_s = now_s;
    peer.left = peer.left || line == protocol::bye;
    if (const auto failure = protocol::failure_of(line)) {
      lose(*failure);
    }
  }
  const double silent_s = now_s - peer.received_at_s;
  if (peer.left || peer.silent) {
    changed_.notify_all();
  } else if (peer.link.socket.is_closed()) {
    peer.silent = true;
    // If another rank has killed a stopped rank, silence is the cause and the end is the effect.
    lose({silent_s > times_.doubt_s
              ? fmt::format("{} sent no heartbeat for {} and then ended: it was stopped",
                            to_text(who), format_duration(times_.doubt_s))
              : fmt::format("{} is gone: its process ended without a report", to_text(who))});
  } else if (silent_s > times_.silence_s) {
    peer.silent = true;
    end_if_on_this_host(who);
    lose({fmt::format("{} sent no heartbeat for {}: it is stopped, or its node or network is down",
                      to_text(who), format_duration(times_.silence_s))});
  }
}

void Heartbeat::lose(const Failure& failure) {
  if (!loss_) {
    loss_ = failure;
    grace_from_s_ = now_s();
    send_to_all(protocol::line_of(failure));
  }
  changed_.notify_all();
}

void Heartbeat::send_to_all(std::string_view line) {
  for (auto& peer : peers_) {
    peer.link.socket.send(line);
  }
}

bool Heartbeat::wait_until(double timeout_s, const std::function<bool()>& condition) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(timeout_s), condition);
}

void Heartbeat::begin_grace(double in_s) {
  const std::lock_guard lock(mutex_);
  grace_from_s_ = now_s() + in_s;
}

bool Heartbeat::is_stuck(double now_s) const {
  const double grace_s = times_.grace_s + (me_.rank == 0 ? 0 : 2 * times_.beat_s);
  return loss_ && now_s - grace_from_s_ > grace_s;
}

/// Ends this process: the training thread is stuck in a call that cannot be ended. Another rank
/// closes the record and reports the reason; if all are lost, `epochcast-jobs status` marks the
/// record as lost.
void Heartbeat::give_up() const {
  if (std::ranges::all_of(peers_, &Peer::silent)) {
    fmt::print(stderr, "epochcast-train: error: {}\n", loss_->text);
  }
  std::fflush(nullptr);
  _exit(exit_failed);
}

std::optional<Failure> Heartbeat::loss() const {
  const std::lock_guard lock(mutex_);
  return loss_;
}

void Heartbeat::on_loss(std::function<void(const std::string&)> handler) {
  const std::lock_guard lock(mutex_);
  on_loss_ = std::move(handler);
}

Failure Heartbeat::fail(const Failure& failure) {
  auto reason = reason_to_fail(failure);
  begin_grace(0);
  return reason;
}

Failure Heartbeat::reason_to_fail(const Failure& failure) {
  if (wait_until(cause_timeout_s, [&] { return loss_.has_value(); })) {
    return *loss();
  }
  const Failure own{fmt::format("{}: {}", to_text(me_), failure.text), failure.cause};
  if (me_.rank == 0) {
    const std::lock_guard lock(mutex_);
    lose(own);
    return *loss_;
  }
  {
    const std::lock_guard lock(mutex_);
    send_to_all(protocol::line_of(own));
  }
  wait_until(echo_timeout_s, [&] { return loss_.has_value(); });
  return loss().value_or(own);
}

bool Heartbeat::first_ends(double timeout_s) {
  begin_grace(timeout_s);
  const bool ended = wait_until(timeout_s, [&] { return peers_.front().silent; });
  begin_grace(0);
  if (!ended) {
    return false;
  }
  // Its locks on the record are released once the process is gone.
  wait_until(cause_timeout_s, [&] { return peers_.front().link.socket.is_closed(); });
  return true;
}

/// A stopped rank would delay the end of the job step, and a stopped rank 0 keeps the record
/// locked.
void Heartbeat::end_if_on_this_host(const Member& member) const {
  if (member.host == me_.host && runs_this_program(member.process)) {
    kill(static_cast<pid_t>(member.process), SIGKILL);
  }
}

void Heartbeat::leave() {
  const auto all_left = [&] { return loss_ || std::ranges::all_of(peers_, &Peer::left); };
  const auto send_bye = [&] {
    const std::lock_guard lock(mutex_);
    send_to_all(protocol::bye);
  };
  if (me_.rank != 0) {
    send_bye();
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, all_left);
    if (loss_) {
      throw RunError(loss_->text);
    }
  }
  if (me_.rank == 0) {
    send_bye();
  }
}

}  // namespace epochcast::ranks
