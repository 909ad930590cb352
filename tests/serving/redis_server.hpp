// A real Redis for tests, on a port of its own, without anything on disk.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <memory>
#include <thread>

#include "src/base/core/descriptor.hpp"
#include "src/base/core/error.hpp"
#include "src/base/process/command.hpp"
#include "src/base/process/spawn.hpp"
#include "src/serving/redis/connection.hpp"
#include "tests/files.hpp"

namespace epochcast {

/// A port that was free a moment ago.
inline int free_port() {
  const Descriptor socket_of_test(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(socket_of_test.number(), reinterpret_cast<const sockaddr*>(&address), size);
  getsockname(socket_of_test.number(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

class RedisServer {
 public:
  static bool is_installed() { return process::is_executable("redis-server"); }

  /// Waits until it answers.
  explicit RedisServer(int port = free_port()) : port_(port) { start(); }
  ~RedisServer() { kill(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  redis::Endpoint endpoint() const { return {"127.0.0.1", port_}; }

  void start() {
    process_ = process::spawn(
        {.words = {"redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1", "--save",
                   "", "--dir", folder_.path(), "--logfile", folder_ / "log"},
         .die_with_parent = true});
    for (int left = 1000; left > 0; --left) {
      try {
        redis::Connection(endpoint(), 1).command({"PING"});
        return;
      } catch (const RunError&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    ADD_FAILURE() << "redis-server does not answer: " << bytes_of(folder_ / "log");
  }
  void kill() {
    if (process_.pid > 0) {
      ::kill(process_.pid, SIGKILL);
      waitpid(process_.pid, nullptr, 0);
      process_.pid = -1;
    }
  }

 private:
  TemporaryFolder folder_;
  int port_;
  process::Spawned process_;
};

}  // namespace epochcast
