#include "src/training/ranks/line_socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "src/base/core/digest.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/host.hpp"

namespace epochcast::ranks {
namespace {

/// A rank that does not read is marked as lost before this limit is reached.
constexpr std::size_t unsent_limit_bytes = 65536;
/// Before a session has begun, and after that: the longest line is the text of a failure.
constexpr std::size_t first_line_limit_bytes = 256;
constexpr std::size_t sealed_line_limit_bytes = std::size_t(1) << 20;

Descriptor new_socket() {
  return Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

std::optional<sockaddr_in> socket_address(const std::string& host, std::int64_t port) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0 || found == nullptr) {
    return std::nullopt;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  sockaddr_in address{};
  std::memcpy(&address, found->ai_addr, sizeof(address));
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool is_connected(int socket, double timeout_s) {
  pollfd waited{socket, POLLOUT, 0};
  int failure = 0;
  socklen_t size = sizeof(failure);
  return poll(&waited, 1, static_cast<int>(timeout_s * 1000)) == 1 &&
         getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0;
}

sockaddr_in own_address(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return address;
}

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);  // as the socket interface requires
}

}  // namespace

LineSocket::LineSocket(Descriptor descriptor) : descriptor_(std::move(descriptor)) {
  const int on = 1;
  setsockopt(number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(number(), F_SETFL, fcntl(number(), F_GETFL) | O_NONBLOCK);
}

void LineSocket::send(std::string_view line) {
  if (unsent_.size() < unsent_limit_bytes) {
    unsent_ += (session_ ? session_->seal(line) : std::string(line)) + "\n";
  }
  while (!closed_ && !unsent_.empty()) {
    const auto sent = ::send(number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      unsent_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      closed_ = errno != EAGAIN;
      return;
    }
  }
}

std::size_t LineSocket::line_limit_bytes() const {
  return session_ ? sealed_line_limit_bytes : first_line_limit_bytes;
}

void LineSocket::read_on() {
  std::array<char, 4096> buffer{};
  while (!closed_ && received_.size() <= line_limit_bytes()) {
    const auto got = recv(number(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
      closed_ = true;
    } else if (errno != EINTR) {
      closed_ = errno != EAGAIN;
      break;
    }
  }
}

std::optional<std::string> LineSocket::receive_line() {
  read_on();
  const auto end = received_.find('\n');
  if (end == std::string::npos || end > line_limit_bytes()) {
    closed_ = closed_ || received_.size() > line_limit_bytes();
    return std::nullopt;
  }
  auto line = std::optional(received_.substr(0, end));
  received_.erase(0, end + 1);
  if (session_) {
    line = session_->open(*line);
  }
  if (!line) {
    closed_ = true;
    received_.clear();
  }
  return line;
}

std::vector<std::string> LineSocket::receive() {
  std::vector<std::string> lines;
  while (auto line = receive_line()) {
    lines.push_back(std::move(*line));
  }
  return lines;
}

std::string LineSocket::local_address() const {
  const auto address = own_address(number());
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  return text.data();
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host.starts_with("127.");
}

Descriptor listen_on(const std::vector<std::int64_t>& ports, const std::string& host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(is_loopback(host) ? INADDR_LOOPBACK : INADDR_ANY);
  for (const auto port : ports) {
    auto listener = new_socket();
    const int on = 1;  // allows the port of a run that has just ended
    setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (bind(listener.number(), generic(address), sizeof(address)) == 0 &&
        listen(listener.number(), SOMAXCONN) == 0) {
      return listener;
    }
  }
  throw RunError(
      fmt::format("ports {} of {}, for the ranks of this run: {}; MASTER_PORT=PORT selects another",
                  fmt::join(ports, ", "), host_name(), std::strerror(errno)));
}

std::int64_t port_of(const Descriptor& socket) {
  return ntohs(own_address(socket.number()).sin_port);
}

std::optional<LineSocket> accept_from(const Descriptor& listener) {
  Descriptor caller(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  return caller.number() < 0 ? std::nullopt : std::optional<LineSocket>(std::move(caller));
}

std::optional<LineSocket> connect_to(const std::string& host, std::int64_t port, double timeout_s) {
  const auto address = socket_address(host, port);
  if (!address) {
    throw RunError(
        fmt::format("{}, the host of rank 0: no address is known for this host name", host));
  }
  auto caller = new_socket();
  const bool now = connect(caller.number(), generic(*address), sizeof(*address)) == 0;
  const bool soon = !now && errno == EINPROGRESS && is_connected(caller.number(), timeout_s);
  return now || soon ? std::optional<LineSocket>(std::move(caller)) : std::nullopt;
}

Session::Session(End own, std::string_view secret, std::string_view nonce_of_rank_zero,
                 std::string_view nonce_of_caller)
    : own_(own),
      key_(hmac_sha256(
          secret, fmt::format("epochcast ranks {} {}", nonce_of_rank_zero, nonce_of_caller))) {}

std::string Session::seal(std::string_view text) {
  return fmt::format("{} {}", proof(own_, sealed_++, text), text);
}

std::optional<std::string> Session::open(std::string_view line) {
  if (line.size() <= digest_digits) {
    return std::nullopt;
  }
  const auto text = line.substr(digest_digits + 1);
  const auto other = own_ == End::caller ? End::rank_zero : End::caller;
  if (!same_secret(line.substr(0, digest_digits), proof(other, opened_++, text))) {
    return std::nullopt;
  }
  return std::string(text);
}

std::string Session::proof(End from, std::uint64_t number, std::string_view text) const {
  return hmac_sha256(
      key_, fmt::format("{} {} {}", from == End::caller ? "caller" : "rank 0", number, text));
}

}  // namespace epochcast::ranks
