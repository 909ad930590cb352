// A Redis of its own for a test, on a free port of this machine.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <string>
#include <thread>

#include "src/base/core/descriptor.hpp"
#include "src/base/process/spawn.hpp"
#include "src/serving/stream/redis.hpp"

namespace epochcast::stream {

class RedisServer {
 public:
  /// Its files lie in `folder`.
  explicit RedisServer(std::string folder) : folder_(std::move(folder)), port_(free_port()) {
    start();
  }
  ~RedisServer() { stop(SIGKILL); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  /// False: there is no redis-server on this machine.
  bool runs() const { return pid_ > 0; }
  int port() const { return port_; }
  std::string url(const std::string& key) const {
    return fmt::format("redis://127.0.0.1:{}/{}", port_, key);
  }

  /// Every write is on disk before it is confirmed.
  void start() {
    const Descriptor null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    const auto child = process::spawn(
        {.words = {"redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1", "--dir",
                   folder_, "--appendonly", "yes", "--appendfsync", "always", "--save", ""},
         .out = null.number(),
         .die_with_parent = true});
    pid_ = child.ok() ? child.pid : -1;
    for (int i = 0; runs() && i < 500; ++i) {
      try {
        Redis({"127.0.0.1", port_}).command({"PING"});
        return;
      } catch (const RunError&) {  // not yet
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }
  void stop(int signal) {
    if (pid_ > 0) {
      kill(pid_, signal);
      waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }

 private:
  static int free_port() {
    const Descriptor socket_of_test(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(socket_of_test.number(), reinterpret_cast<sockaddr*>(&address), size);
    getsockname(socket_of_test.number(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
  }

  std::string folder_;
  int port_;
  pid_t pid_ = -1;
};

}  // namespace epochcast::stream
