#include "src/ranks/rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "src/core/clock.hpp"
#include "src/core/error.hpp"
#include "src/core/signal_name.hpp"
#include "src/core/text.hpp"
#include "src/ranks/protocol.hpp"

namespace epochcast::ranks {
namespace {

constexpr auto pause = std::chrono::milliseconds(20);
constexpr double connect_timeout_s = 5;  ///< For one attempt; attempts are repeated.

std::string one_word(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

std::string line_of(std::string_view kind, const Member& member) {
  std::vector<std::string> words{std::string(kind),
                                 std::to_string(member.rank),
                                 member.host,
                                 std::to_string(member.process),
                                 member.job,
                                 member.program,
                                 std::to_string(member.ranks)};
  words.insert(words.end(), member.configuration.begin(), member.configuration.end());
  std::ranges::transform(words, words.begin(), one_word);
  return join(words, "\t");
}

/// The member in a line "KIND\tRANK\t..."; std::nullopt for any other line.
std::optional<Member> member_of(std::string_view kind, const std::string& line) {
  constexpr std::size_t before_configuration = 7;
  auto words = split(line, '\t');
  if (words.size() < before_configuration || words[0] != kind || !parse_integer(words[1]) ||
      !parse_integer(words[3]) || !parse_integer(words[6])) {
    return std::nullopt;
  }
  return Member{.rank = *parse_integer(words[1]),
                .host = words[2],
                .process = *parse_integer(words[3]),
                .job = words[4],
                .program = words[5],
                .configuration = {words.begin() + before_configuration, words.end()},
                .ranks = *parse_integer(words[6])};
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
  Host(const RankPlace& place, const Member& me)
      : place_(place),
        listener_(listen_on(place.rendezvous_port)),
        members_(static_cast<std::size_t>(place.size)) {
    members_[0] = me;
  }

  Rendezvous run(const std::string& welcome, double timeout_s, const StopRequest& stop) {
    const SteadyClock clock;
    const double end_s = clock.now_s() + timeout_s;
    while (std::ssize(links_) + 1 < place_.size) {
      if (clock.now_s() > end_s) {
        fail<RunError>(fmt::format("{} did not connect to {}:{} within {}", missing(),
                                   place_.rendezvous_host, place_.rendezvous_port,
                                   format_duration(timeout_s)));
      }
      while (auto caller = accept_from(listener_)) {
        callers_.push_back(std::move(*caller));
      }
      receive_from_callers();
      if (const int signal = stop(); signal != 0) {
        stop_all(fmt::format("stopped by {} before {} connected", signal_name(signal), missing()));
      }
      std::this_thread::sleep_for(pause);
    }
    welcome_all(welcome);
    return {std::move(members_), std::move(links_), welcome, address_};
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

  void receive_from_callers() {
    for (std::size_t i = 0; i < callers_.size();) {
      const auto lines = callers_[i].receive();
      if (lines.empty() && !callers_[i].is_closed()) {
        ++i;
        continue;
      }
      auto caller = std::move(callers_[i]);
      callers_.erase(callers_.begin() + static_cast<std::ptrdiff_t>(i));
      const auto member = lines.empty() ? std::nullopt : member_of(protocol::hello, lines.front());
      if (member && member->job == members_[0].job) {  // any other connection is closed
        admit(*member, std::move(caller));
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

  void welcome_all(const std::string& welcome) {
    for (auto& link : links_) {
      for (const auto& member : members_) {
        link.socket.send(line_of(protocol::member, member));
      }
      link.socket.send(protocol::line_of(protocol::welcome, welcome));
    }
  }

  RankPlace place_;
  Descriptor listener_;
  std::vector<Member> members_;
  std::vector<LineSocket> callers_;  ///< Connections that have not sent their hello yet.
  std::vector<Link> links_;
  std::string address_;
};

/// Reads the answer of rank 0 to the hello. Returns false if the connection ends or the time is up
/// without one.
bool read_answer(Rendezvous& rendezvous, LineSocket& socket, const Clock& clock, double end_s) {
  while (!socket.is_closed() && clock.now_s() < end_s) {
    for (const auto& line : socket.receive()) {
      if (const auto member = member_of(protocol::member, line)) {
        rendezvous.members.push_back(*member);
      } else if (const auto failure = protocol::failure_of(line)) {
        throw ReportedByPeer(failure->text);
      } else if (const auto stopped = protocol::text_of(protocol::stop, line)) {
        throw StoppedEarly(*stopped);
      } else if (const auto welcome = protocol::text_of(protocol::welcome, line)) {
        rendezvous.welcome = *welcome;
        return true;
      }
    }
    std::this_thread::sleep_for(pause);
  }
  return false;
}

Rendezvous connect_to_first(const RankPlace& place, const Member& me, double timeout_s,
                            const StopRequest& stop) {
  const SteadyClock clock;
  const double end_s = clock.now_s() + timeout_s;
  bool answered = false;
  while (clock.now_s() < end_s) {
    if (auto socket = connect_to(place.rendezvous_host, place.rendezvous_port,
                                 std::min(connect_timeout_s, timeout_s))) {
      answered = true;
      Rendezvous rendezvous;
      rendezvous.address = socket->local_address();
      socket->send(line_of(protocol::hello, me));
      if (read_answer(rendezvous, *socket, clock, end_s)) {
        rendezvous.links.push_back({0, std::move(*socket)});
        return rendezvous;
      }
    }
    if (const int signal = stop(); signal != 0) {
      throw StoppedEarly(fmt::format("{} stopped by {} before it reached rank 0", to_text(me),
                                     signal_name(signal)));
    }
    std::this_thread::sleep_for(pause);
  }
  throw RunError(fmt::format(
      "{} did not reach rank 0 at {}:{} within {}: {}", to_text(me), place.rendezvous_host,
      place.rendezvous_port, format_duration(timeout_s),
      answered ? "the peer is not ready or belongs to another run" : "nothing listens there"));
}

}  // namespace

std::string to_text(const Member& member) {
  return fmt::format("rank {} on {} (process {})", member.rank, member.host, member.process);
}

Rendezvous join_run(const RankPlace& place, const Member& me, const std::string& welcome,
                    double timeout_s, const StopRequest& stop) {
  auto known = me;
  known.ranks = place.size;
  return place.is_first() ? Host(place, known).run(welcome, timeout_s, stop)
                          : connect_to_first(place, known, timeout_s, stop);
}

}  // namespace epochcast::ranks
