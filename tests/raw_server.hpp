// A server of a few lines, for tests of clients: each request gets the bytes that a function
// returns, whatever they are.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "src/base/core/descriptor.hpp"

namespace epochcast::tests {

/// An answer of HTTP/1.1 whose connection is kept.
inline std::string http_answer(int status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class RawServer {
 public:
  struct Request {
    std::string text;    ///< Head and body.
    int number = 0;      ///< Of all requests, from 0.
    int connection = 0;  ///< From 0.
    bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
  };
  /// Returns the bytes to send. Empty: the connection is closed without any. It may wait; each
  /// connection has a thread.
  using Answer = std::function<std::string(const Request&)>;

  explicit RawServer(Answer answer) : answer_(std::move(answer)) {
    const int on = 1;
    setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_.number(), any, size) != 0 || listen(listener_.number(), SOMAXCONN) != 0) {
      throw std::runtime_error("no port for a test's server");
    }
    getsockname(listener_.number(), any, &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~RawServer() {
    shutdown(listener_.number(), SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : open_) {
        shutdown(socket, SHUT_RDWR);
      }
    }
    for (auto& thread : threads_) {
      thread.join();
    }
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int requests() const { return requests_; }
  int connections() const { return connections_; }

 private:
  void accept_all() {
    while (true) {
      const int socket = accept(listener_.number(), nullptr, nullptr);
      if (socket < 0) {
        return;
      }
      {
        const std::lock_guard lock(mutex_);
        open_.push_back(socket);
      }
      const int number = connections_++;
      threads_.emplace_back([this, socket, number] { serve(socket, number); });
    }
  }

  void serve(int socket, int number) {
    std::string waiting;
    while (true) {
      const auto request = next_request(socket, waiting);
      if (request.empty()) {
        break;
      }
      const auto bytes = answer_({request, requests_++, number});
      if (bytes.empty() ||
          send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) != ssize_t(bytes.size())) {
        break;
      }
    }
    const std::lock_guard lock(mutex_);
    std::erase(open_, socket);
    close(socket);
  }

  /// Head and body of the next request; "" at the end of the connection.
  static std::string next_request(int socket, std::string& waiting) {
    while (true) {
      const auto head = waiting.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t size = head + 4 + body_size(waiting.substr(0, head));
        if (waiting.size() >= size) {
          const auto request = waiting.substr(0, size);
          waiting.erase(0, size);
          return request;
        }
      }
      char bytes[65536];
      const auto count = recv(socket, bytes, sizeof(bytes), 0);
      if (count <= 0) {
        return "";
      }
      waiting.append(bytes, static_cast<std::size_t>(count));
    }
  }

  static std::size_t body_size(const std::string& head) {
    const std::string name = "Content-Length: ";
    const auto at = head.find(name);
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + name.size()));
  }

  Answer answer_;
  Descriptor listener_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::atomic<int> connections_{0};
  std::mutex mutex_;  ///< Of `open_`.
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace epochcast::tests
