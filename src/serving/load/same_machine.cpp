#include "src/serving/load/same_machine.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <memory>

#include "src/base/core/descriptor.hpp"

namespace epochcast::load {
namespace {

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
