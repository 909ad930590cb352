#include "src/training/ranks/handshake.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <string_view>
#include <utility>

#include "src/base/core/digest.hpp"
#include "src/base/core/ports.hpp"
#include "src/training/ranks/protocol.hpp"

namespace epochcast::ranks {
namespace {

constexpr std::size_t ports_tried = 8;
constexpr int poll_for_line_ms = 20;

bool is_nonce(std::string_view line) {
  return line.size() == digest_digits &&
         line.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::vector<std::int64_t> ports_of(const attempt::RankPlace& place, const std::string& secret) {
  std::vector<std::int64_t> found;
  if (place.rendezvous_port > 0) {
    found.push_back(place.rendezvous_port);
  }
  while (found.size() < ports_tried) {
    const auto digits = hmac_sha256(secret, fmt::format("port {}", found.size())).substr(0, 8);
    found.push_back(first_port + std::stoll(digits, nullptr, 16) % ports);
  }
  return found;
}

std::optional<std::string> wait_for_line(LineSocket& socket, const Clock& clock, double end_s) {
  for (;;) {
    if (auto line = socket.receive_line()) {
      return line;
    }
    if (socket.is_closed() || clock.now_s() > end_s) {
      return std::nullopt;
    }
    pollfd waited{socket.number(), POLLIN, 0};
    poll(&waited, 1, poll_for_line_ms);
  }
}

bool prove(LineSocket& socket, const std::string& secret, const Clock& clock, double end_s) {
  const auto theirs = wait_for_line(socket, clock, end_s);
  if (!theirs || !is_nonce(*theirs)) {
    return false;
  }
  const auto own = random_digits();
  socket.send(own);
  socket.begin(Session(End::caller, secret, *theirs, own));
  socket.send(protocol::hello);
  return wait_for_line(socket, clock, end_s) == protocol::hello;
}

Caller::Caller(LineSocket socket, std::string secret, double end_s)
    : socket_(std::move(socket)),
      secret_(std::move(secret)),
      nonce_(random_digits()),
      end_s_(end_s) {
  socket_.send(nonce_);
}

std::optional<std::string> Caller::read_on(double now_s) {
  while (state_ != State::refused) {
    auto line = socket_.receive_line();
    if (!line) {
      break;
    }
    if (state_ == State::proven) {
      return line;
    }
    take(*line);
  }
  if (socket_.is_closed() || now_s > end_s_) {
    state_ = State::refused;
  }
  return std::nullopt;
}

void Caller::take(const std::string& line) {
  if (!has_session_ && is_nonce(line)) {
    has_session_ = true;
    socket_.begin(Session(End::rank_zero, secret_, nonce_, line));
  } else if (has_session_ && line == protocol::hello) {
    state_ = State::proven;
    socket_.send(protocol::hello);
  } else {
    state_ = State::refused;
  }
}

}  // namespace epochcast::ranks
