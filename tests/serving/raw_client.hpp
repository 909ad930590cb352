// A client that sends any bytes, for tests of a server.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/core/descriptor.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {

struct RawResponse {
  int status = 0;  ///< 0: the connection ended, or nothing came, before the whole response.
  std::string head;
  std::string body;

  bool has(std::string_view header_line) const {
    return ("\r\n" + head + "\r\n").find("\r\n" + std::string(header_line) + "\r\n") !=
           std::string::npos;
  }
};

class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
      setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_.number(), reinterpret_cast<const sockaddr*>(&address),
                         sizeof(address)) == 0;
  }

  bool connected() const { return connected_; }

  /// False if the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Says that nothing more will be sent.
  void end_sending() { shutdown(socket_.number(), SHUT_WR); }

  /// The next response, whose length is in Content-Length.
  RawResponse receive(double limit_s = 10) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more(limit_s)) {
        return {};
      }
    }
    RawResponse response{.head = received_.substr(0, end)};
    received_.erase(0, end + 4);
    const std::size_t length = length_of(response.head);
    while (received_.size() < length) {
      if (!read_more(limit_s)) {
        return {};
      }
    }
    response.body = received_.substr(0, length);
    received_.erase(0, length);
    response.status = static_cast<int>(parse_integer(response.head.substr(9, 3)).value_or(0));
    return response;
  }

  /// All bytes until the server closes.
  std::string receive_until_closed(double limit_s = 10) {
    while (read_more(limit_s)) {
    }
    return std::exchange(received_, {});
  }

  /// Whether the server closes within the time; what it still sends is dropped.
  bool is_closed_within(double limit_s) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
    while (std::chrono::steady_clock::now() < end) {
      if (!read_more(0.05) && ended_) {
        return true;
      }
    }
    return false;
  }

 private:
  static std::size_t length_of(const std::string& head) {
    constexpr std::string_view name = "\r\nContent-Length: ";
    const auto at = head.find(name);
    if (at == std::string::npos || head.starts_with("HTTP/1.1 100")) {
      return 0;
    }
    const auto value = head.substr(at + name.size());
    return static_cast<std::size_t>(parse_integer(value.substr(0, value.find('\r'))).value_or(0));
  }

  bool read_more(double limit_s) {
    pollfd event{socket_.number(), POLLIN, 0};
    if (poll(&event, 1, static_cast<int>(limit_s * 1000)) <= 0) {
      return false;
    }
    char bytes[4096];
    const auto count = recv(socket_.number(), bytes, sizeof(bytes), 0);
    ended_ = count <= 0;
    if (count > 0) {
      received_.append(bytes, static_cast<std::size_t>(count));
    }
    return !ended_;
  }

  Descriptor socket_;
  bool connected_ = false;
  bool ended_ = false;
  std::string received_;
};

/// A request with a body, or without one if it is empty.
inline std::string request_text(const std::string& method, const std::string& path,
                                const std::string& body = "", const std::string& headers = "") {
  return method + " " + path + " HTTP/1.1\r\nHost: test\r\n" + headers +
         (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
         body;
}

}  // namespace epochcast
