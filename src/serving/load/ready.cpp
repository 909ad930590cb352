#include "src/serving/load/ready.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/serving/http/client.hpp"

namespace epochcast::load {
namespace {

constexpr double pause_s = 0.1;
constexpr double answer_limit_s = 2;

/// Empty while the service has not written its address.
std::optional<http::Address> target_address(const TargetOptions& target) {
  if (!target.url.empty()) {
    return http::parse_url(target.url);
  }
  if (!is_there(target.address_file)) {
    return std::nullopt;
  }
  const auto text = read_file(target.address_file);
  return trim(text).empty() ? std::nullopt : std::optional(http::parse_url(text));
}

/// "" if the service is ready, otherwise why not.
std::string why_not_ready(const http::Address& address, const std::string& token, double limit_s) {
  const auto request = http::request_bytes(address, {.path = "/health", .token = token});
  const auto answer = http::ask(address, request, std::min(limit_s, answer_limit_s));
  if (answer.failure != http::Failure::none) {
    return answer.reason;
  }
  return answer.is_ok() ? ""
                        : fmt::format("status {}: {}", answer.status, printable(trim(answer.body)));
}

/// Sleeps, but not longer than until a signal comes or the service ends.
void pause(ServiceProcess* service, const process::HeldSignals& signals) {
  constexpr double ms_per_s = 1000;
  std::array<pollfd, 2> events{pollfd{signals.descriptor(), POLLIN, 0},
                               pollfd{service == nullptr ? -1 : service->descriptor(), POLLIN, 0}};
  poll(events.data(), events.size(), static_cast<int>(pause_s * ms_per_s));
  if (events[1].revents != 0) {
    service->receive();
  }
}

std::string host_of(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  const bool known =
      getnameinfo(address, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  return known ? host.data() : "";
}

/// Connects a datagram socket, which sends nothing, and compares both ends. From 127.0.0.1 all
/// addresses of the loopback are reached.
bool connects_to_itself(const addrinfo& target) {
  const Descriptor socket(::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  auto* name = reinterpret_cast<sockaddr*>(&own);
  if (connect(socket.number(), target.ai_addr, target.ai_addrlen) != 0 ||
      getsockname(socket.number(), name, &size) != 0) {
    return false;
  }
  const auto from = host_of(name, size);
  return from.starts_with("127.") || from == host_of(target.ai_addr, target.ai_addrlen);
}

}  // namespace

Readiness wait_until_ready(const TargetOptions& target, const std::string& token,
                           ServiceProcess* service, const process::HeldSignals& signals) {
  const SteadyClock clock;
  const double end_s = clock.now_s() + target.start_limit.value;
  Readiness readiness;
  while (true) {
    std::string why = fmt::format("no address in '{}'", target.address_file);
    if (const auto address = target_address(target)) {
      readiness.address = *address;
      why = why_not_ready(*address, token, std::max(pause_s, end_s - clock.now_s()));
      if (why.empty()) {
        readiness.is_ready = true;
        return readiness;
      }
      why = fmt::format("GET {}/health: {}", address->url(), why);
    }
    pause(service, signals);
    if (service != nullptr && service->status()) {
      throw RunError(
          fmt::format("the service {} before it was ready", end_text(*service->status())));
    }
    if (signals.take()) {
      readiness.is_interrupted = true;
      return readiness;
    }
    if (clock.now_s() >= end_s) {
      throw RunError(fmt::format("the service was not ready within {} (--start-limit): {}",
                                 format_duration(target.start_limit.value), why));
    }
  }
}

bool is_on_this_machine(const http::Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) != 0) {
    return false;
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> targets(found, freeaddrinfo);
  return connects_to_itself(*targets);
}

}  // namespace epochcast::load
