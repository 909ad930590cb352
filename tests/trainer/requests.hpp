// Requests to a service of the trainer, and what comes back.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "tests/files.hpp"
#include "tests/trainer/running.hpp"

namespace epochcast {

/// From what `service` writes to the file of its address: "http://127.0.0.1:8000".
inline int port_in(const std::filesystem::path& address, const Running& service) {
  while (!std::filesystem::exists(address)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (service.printed().find("error") != std::string::npos) {
      ADD_FAILURE() << service.printed();
      return 0;
    }
  }
  const auto text = bytes_of(address);
  return std::stoi(text.substr(text.rfind(':') + 1));
}

inline std::string post(const std::string& body) {
  return "POST /predict HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// The whole response to `request`, which asks the server to close the connection.
inline std::string response_to(const std::string& request, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string response;
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(connection, request.data(), request.size(), MSG_NOSIGNAL) == std::ssize(request)) {
    char bytes[4096];
    for (ssize_t got = 0; (got = recv(connection, bytes, sizeof bytes, 0)) > 0;) {
      response.append(bytes, static_cast<std::size_t>(got));
    }
  }
  close(connection);
  return response;
}

}  // namespace epochcast
