#include "src/training/ranks/rendezvous.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/training/ranks/handshake.hpp"
#include "src/training/ranks/protocol.hpp"

namespace epochcast::ranks {
namespace {

constexpr auto pause = std::chrono::milliseconds(20);
constexpr double connect_timeout_s = 5;     ///< For one attempt; attempts are repeated.
constexpr std::size_t most_unproven = 128;  ///< Connections at once.
constexpr int most_accepted = 32;           ///< In one turn.

std::string one_word(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

std::string line_of(std::string_view kind, const Member& member) {
  std::vector<std::string> words{std::string(kind), std::to_string(member.rank),
                                 member.host,       std::to_string(member.process),
                                 member.program,    std::to_string(member.ranks)};
  words.insert(words.end(), member.configuration.begin(), member.configuration.end());
  std::ranges::transform(words, words.begin(), one_word);
  return join(words, "\t");
}

/// The member in a line "KIND\tRANK\t..."; std::nullopt for any other line.
std::optional<Member> member_of(std::string_view kind, const std::string& line) {
  constexpr std::size_t before_configuration = 6;
  auto words = split(line, '\t');
  if (words.size() < before_configuration || words[0] != kind || !parse_integer(words[1]) ||
      !parse_integer(words[3]) || !parse_integer(words[5])) {
    return std::nullopt;
  }
  return Member{.rank = *parse_integer(words[1]),
                .host = words[2],
                .process = *parse_integer(words[3]),
                .program = words[4],
                .configuration = {words.begin() + before_configuration, words.end()},
                .ranks = *parse_integer(words[5])};
}

/// The words of `own` that are not in `others`, or "nothing else".
std::string differing(const std::vector<std::string>& own, const std::vector<std::string>& others) {
  std::vector<std::string> only;
  std::ranges::copy_if(own, std::back_inserter(only), [&](const std::string& word) {
    return std::ranges::find(others, word) == others.end();
  });
  return only.empty() ? "nothing else" : join(only, " ");
}

/// The rendezvous on rank 0.
class Host {
 public:
  Host(const attempt::RankPlace& place, const Member& me, const Terms& terms)
      : place_(place),
        terms_(terms),
        listener_(listen_on(ports_of(place, terms.secret), place.rendezvous_host)),
        members_(static_cast<std::size_t>(place.size)) {
    members_[0] = me;
  }

  Rendezvous run(const StopRequest& stop) {
    const double end_s = clock_.now_s() + terms_.timeout_s;
    while (std::ssize(links_) + 1 < place_.size) {
      if (clock_.now_s() > end_s) {
        fail<RunError>(fmt::format("{} did not connect to {}:{} within {}{}", missing(),
                                   place_.rendezvous_host, port_of(listener_),
                                   format_duration(terms_.timeout_s), strangers()));
      }
      accept_callers();
      receive_from_callers();
      if (const int signal = stop(); signal != 0) {
        stop_all(fmt::format("stopped by {} before {} connected", signal_name(signal), missing()));
      }
      wait_for_messages();
    }
    welcome_all();
    return {std::move(members_), std::move(links_), terms_.welcome, address_};
  }

 private:
  template <class Kind>
  [[noreturn]] void fail(const std::string& text) {
    for (auto& link : links_) {
      link.socket.send(protocol::line_of(Failure{text}));
    }
    throw Kind(text);
  }

  [[noreturn]] void stop_all(const std::string& text) {
    for (auto& link : links_) {
      link.socket.send(protocol::line_of(protocol::stop, text));
    }
    throw StoppedEarly(text);
  }

  std::string missing() const {
    std::vector<std::string> ranks;
    for (std::int64_t rank = 1; rank < place_.size; ++rank) {
      if (std::ranges::none_of(links_, [&](const Link& link) { return link.rank == rank; })) {
        ranks.push_back(std::to_string(rank));
      }
    }
    return fmt::format("rank{} {} of {}", ranks.size() == 1 ? "" : "s", join(ranks, ", "),
                       place_.size);
  }

  std::string strangers() const {
    return refused_ == 0 ? ""
                         : fmt::format("; {} did not prove that they belong to this run",
                                       counted(refused_, "connection"));
  }

  void wait_for_messages() const {
    std::vector<pollfd> waited{{listener_.number(), POLLIN, 0}};
    for (const auto& caller : callers_) {
      waited.push_back({caller.number(), POLLIN, 0});
    }
    poll(waited.data(), waited.size(), int(pause.count()));
  }

  void accept_callers() {
    for (int accepted = 0; accepted < most_accepted; ++accepted) {
      auto socket = accept_from(listener_);
      if (!socket) {
        return;
      }
      callers_.emplace_back(std::move(*socket), terms_.secret,
                            clock_.now_s() + handshake_timeout_s);
      const auto is_unproven = [](const Caller& caller) {
        return caller.state() == Caller::State::unknown;
      };
      if (std::size_t(std::ranges::count_if(callers_, is_unproven)) > most_unproven) {
        callers_.erase(std::ranges::find_if(callers_, is_unproven));
        ++refused_;
      }
    }
  }

  void receive_from_callers() {
    for (auto caller = callers_.begin(); caller != callers_.end();) {
      const auto line = caller->read_on(clock_.now_s());
      if (!line && caller->state() != Caller::State::refused) {
        ++caller;
        continue;
      }
      auto socket = caller->take_socket();
      caller = callers_.erase(caller);
      if (const auto member = member_of(protocol::member, line.value_or(""))) {
        admit(*member, std::move(socket));
      } else {
        ++refused_;
      }
    }
  }

  void admit(const Member& member, LineSocket socket) {
    links_.push_back({member.rank, std::move(socket)});
    // Converted through the line format, so that blanks are compared in the same form.
    const auto first = *member_of(protocol::member, line_of(protocol::member, members_[0]));
    const auto refuse = [&](const std::string& of_member, const std::string& of_first) {
      fail<Error>(fmt::format("{} has {}, {} has {}; expected the same on all ranks",
                              to_text(member), of_member, to_text(first), of_first));
    };
    if (member.ranks != first.ranks) {
      refuse(fmt::format("a run of {} ranks", member.ranks), fmt::format("one of {}", first.ranks));
    }
    if (member.program != first.program) {
      refuse(member.program, first.program);
    }
    if (member.configuration != first.configuration) {
      refuse(differing(member.configuration, first.configuration),
             differing(first.configuration, member.configuration));
    }
    const auto same = std::ranges::count(links_, member.rank, &Link::rank);
    if (member.rank < 1 || member.rank >= place_.size || same != 1) {
      fail<Error>(
          fmt::format("{} tried to join a run of {} ranks: {}", to_text(member), place_.size,
                      same != 1 ? "this rank has joined already" : "its rank is out of range"));
    }
    members_[static_cast<std::size_t>(member.rank)] = member;
    address_ = links_.back().socket.local_address();
  }

  void welcome_all() {
    for (auto& link : links_) {
      for (const auto& member : members_) {
        link.socket.send(line_of(protocol::member, member));
      }
      link.socket.send(protocol::line_of(protocol::welcome, terms_.welcome));
    }
  }

  SteadyClock clock_;
  attempt::RankPlace place_;
  Terms terms_;
  Descriptor listener_;
  std::vector<Member> members_;
  std::vector<Caller> callers_;  ///< Oldest first.
  std::size_t refused_ = 0;
  std::vector<Link> links_;
  std::string address_;
};

/// The search of another rank for rank 0.
class Guest {
 public:
  Guest(const attempt::RankPlace& place, const Member& me, const Terms& terms)
      : place_(place), me_(me), terms_(terms), end_s_(clock_.now_s() + terms.timeout_s) {}

  Rendezvous run(const StopRequest& stop) {
    const auto candidates = ports_of(place_, terms_.secret);
    for (std::size_t i = 0; clock_.now_s() < end_s_; ++i) {
      if (auto rendezvous = try_port(candidates[i % candidates.size()])) {
        return std::move(*rendezvous);
      }
      if (const int signal = stop(); signal != 0) {
        throw StoppedEarly(fmt::format("{} stopped by {} before it reached rank 0", to_text(me_),
                                       signal_name(signal)));
      }
      if ((i + 1) % candidates.size() == 0) {
        std::this_thread::sleep_for(pause);
      }
    }
    throw RunError(fmt::format(
        "{} did not reach rank 0 at {} within {}: {}", to_text(me_), place_.rendezvous_host,
        format_duration(terms_.timeout_s),
        why_.empty() ? fmt::format("nothing listens at its ports {}", fmt::join(candidates, ", "))
                     : why_));
  }

 private:
  std::optional<Rendezvous> try_port(std::int64_t port) {
    auto socket =
        connect_to(place_.rendezvous_host, port, std::min(connect_timeout_s, terms_.timeout_s));
    if (!socket) {
      return std::nullopt;
    }
    const double end_s = std::min(end_s_, clock_.now_s() + handshake_timeout_s);
    if (!prove(*socket, terms_.secret, clock_, end_s)) {
      why_ = fmt::format("what listens at port {} did not prove that it belongs to this run", port);
      return std::nullopt;
    }
    why_ = "rank 0 did not admit it";
    Rendezvous rendezvous;
    rendezvous.address = socket->local_address();
    socket->send(line_of(protocol::member, me_));
    if (!read_answer(rendezvous, *socket)) {
      return std::nullopt;
    }
    rendezvous.links.push_back({0, std::move(*socket)});
    return rendezvous;
  }

  /// Returns false if the connection ends or the time is up without an answer.
  bool read_answer(Rendezvous& rendezvous, LineSocket& socket) const {
    while (const auto line = wait_for_line(socket, clock_, end_s_)) {
      if (const auto member = member_of(protocol::member, *line)) {
        rendezvous.members.push_back(*member);
      } else if (const auto failure = protocol::failure_of(*line)) {
        throw ReportedByPeer(failure->text);
      } else if (const auto stopped = protocol::text_of(protocol::stop, *line)) {
        throw StoppedEarly(*stopped);
      } else if (const auto welcome = protocol::text_of(protocol::welcome, *line)) {
        rendezvous.welcome = *welcome;
        return true;
      }
    }
    return false;
  }

  SteadyClock clock_;
  attempt::RankPlace place_;
  Member me_;
  Terms terms_;
  double end_s_;
  std::string why_;
};

}  // namespace

std::string to_text(const Member& member) {
  return fmt::format("rank {} on {} (process {})", member.rank, member.host, member.process);
}

Rendezvous join_run(const attempt::RankPlace& place, const Member& me, const Terms& terms,
                    const StopRequest& stop) {
  auto known = me;
  known.ranks = place.size;
  return place.is_first() ? Host(place, known, terms).run(stop)
                          : Guest(place, known, terms).run(stop);
}

}  // namespace epochcast::ranks
