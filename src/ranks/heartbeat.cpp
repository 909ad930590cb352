#include "src/ranks/heartbeat.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "src/core/clock.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"
#include "src/ranks/protocol.hpp"

namespace epochcast::ranks {
namespace {

constexpr int poll_ms = 200;
/// The cause of a failure may be on its way while its effect is here already: a rank that dies
/// breaks the connections of the training first.
constexpr double cause_s = 2;
constexpr double echo_s = 10;

double now_s() {
  return SteadyClock().now_s();
}

/// Whether `process` runs our program: its number may mean another process here, where each has a
/// container.
bool is_ours(std::int64_t process) {
  std::error_code unknown;
  const auto theirs = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), unknown);
  return !unknown && theirs == std::filesystem::read_symlink("/proc/self/exe", unknown);
}

}  // namespace

Heartbeat::Heartbeat(const Member& me, Rendezvous rendezvous, const HeartbeatTimes& times)
    : me_(me), times_(times), members_(std::move(rendezvous.members)) {
  for (auto& link : rendezvous.links) {
    peers_.push_back({.link = std::move(link), .heard_at_s = now_s()});
  }
  thread_ = std::thread([this] { watch(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  thread_.join();
}

void Heartbeat::watch() {
  double turned_at_s = now_s();
  double beaten_at_s = 0;
  for (;;) {
    wait_for_news();
    std::unique_lock lock(mutex_);
    if (stops_) {
      return;
    }
    const double turn_s = now_s() - turned_at_s;
    turned_at_s = now_s();
    for (auto& peer : peers_) {
      // This process was stopped, maybe with its whole job: nobody spoke meanwhile.
      if (turn_s > times_.silence_s / 2) {
        peer.heard_at_s = turned_at_s;
      }
      hear(peer, turned_at_s);
    }
    if (turned_at_s - beaten_at_s >= times_.beat_s) {
      beaten_at_s = turned_at_s;
      tell_all(protocol::alive);
    }
    if (loss_ && tell_) {
      const auto tell = std::exchange(tell_, nullptr);
      const auto text = *loss_;
      lock.unlock();
      tell(text);
    } else if (is_stuck(turned_at_s)) {
      give_up();
    }
  }
}

void Heartbeat::wait_for_news() {
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

void Heartbeat::hear(Peer& peer, double now_s) {
  const auto& who = members_[static_cast<std::size_t>(peer.link.rank)];
  for (const auto& line : peer.link.socket.receive()) {
    peer.heard_at_s = now_s;
    peer.left = peer.left || line == protocol::bye;
    if (const auto reason = protocol::text_of(protocol::fail, line)) {
      lose(*reason);
    }
  }
  const double silent_s = now_s - peer.heard_at_s;
  if (peer.left || peer.silent) {
    changed_.notify_all();
  } else if (peer.link.socket.is_closed()) {
    peer.silent = true;
    // Silence is the cause and the end its effect where another rank has ended a stopped one.
    lose(silent_s > times_.doubt_s
             ? fmt::format("{} gave no sign of life for {} and then ended: it was stopped",
                           to_text(who), format_duration(times_.doubt_s))
             : fmt::format("{} is gone: its process ended without a word", to_text(who)));
  } else if (silent_s > times_.silence_s) {
    peer.silent = true;
    end_if_here(who);
    lose(
        fmt::format("{} gave no sign of life for {}: it is stopped, or its node or network is down",
                    to_text(who), format_duration(times_.silence_s)));
  }
}

void Heartbeat::lose(const std::string& text) {
  if (!loss_) {
    loss_ = text;
    grace_from_s_ = now_s();
    tell_all(protocol::line_of(protocol::fail, text));
  }
  changed_.notify_all();
}

void Heartbeat::tell_all(std::string_view line) {
  for (auto& peer : peers_) {
    peer.link.socket.send(line);
  }
}

bool Heartbeat::wait_until(double timeout_s, const std::function<bool()>& what) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(timeout_s), what);
}

void Heartbeat::begin_grace(double in_s) {
  const std::lock_guard lock(mutex_);
  grace_from_s_ = now_s() + in_s;
}

bool Heartbeat::is_stuck(double now_s) const {
  const double grace_s = times_.grace_s + (me_.rank == 0 ? 0 : 2 * times_.beat_s);
  return loss_ && now_s - grace_from_s_ > grace_s;
}

/// The thread that trains is stuck in a call that cannot be ended; the record is settled by another
/// rank, which says why, or by whoever looks next.
void Heartbeat::give_up() const {
  if (std::ranges::all_of(peers_, &Peer::silent)) {
    fmt::print(stderr, "epochcast-train: error: {}\n", *loss_);
  }
  std::fflush(nullptr);
  _exit(exit_failed);
}

std::optional<std::string> Heartbeat::loss() const {
  const std::lock_guard lock(mutex_);
  return loss_;
}

void Heartbeat::on_loss(std::function<void(const std::string&)> tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

std::string Heartbeat::fail(const std::string& text) {
  auto reason = reason_to_fail(text);
  begin_grace(0);
  return reason;
}

std::string Heartbeat::reason_to_fail(const std::string& text) {
  if (wait_until(cause_s, [&] { return loss_.has_value(); })) {
    return *loss();
  }
  const auto own = fmt::format("{}: {}", to_text(me_), text);
  if (me_.rank == 0) {
    const std::lock_guard lock(mutex_);
    lose(own);
    return *loss_;
  }
  {
    const std::lock_guard lock(mutex_);
    tell_all(protocol::line_of(protocol::fail, own));
  }
  wait_until(echo_s, [&] { return loss_.has_value(); });
  return loss().value_or(own);
}

bool Heartbeat::first_ends(double timeout_s) {
  begin_grace(timeout_s);
  const bool ended = wait_until(timeout_s, [&] { return peers_.front().silent; });
  begin_grace(0);
  if (!ended) {
    return false;
  }
  // A killed one frees its locks.
  wait_until(cause_s, [&] { return peers_.front().link.socket.is_closed(); });
  return true;
}

/// A stopped rank would hold up whoever waits for all to end, and as rank 0 it would keep the
/// record locked.
void Heartbeat::end_if_here(const Member& member) const {
  if (member.host == me_.host && is_ours(member.process)) {
    kill(static_cast<pid_t>(member.process), SIGKILL);
  }
}

void Heartbeat::leave() {
  const auto all_left = [&] { return loss_ || std::ranges::all_of(peers_, &Peer::left); };
  const auto say_bye = [&] {
    const std::lock_guard lock(mutex_);
    tell_all(protocol::bye);
  };
  if (me_.rank != 0) {
    say_bye();
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, all_left);
    if (loss_) {
      throw RunError(*loss_);
    }
  }
  if (me_.rank == 0) {
    say_bye();
  }
}

}  // namespace epochcast::ranks
