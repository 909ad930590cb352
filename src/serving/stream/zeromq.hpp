// ZeroMQ with exceptions. The implementation is the only file that includes zmq.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace epochcast::stream {

/// A message of several parts.
using Message = std::vector<std::string>;

/// A ROUTER, which many DEALERs connect to. It puts the identity of the sender before the parts of
/// a message, and takes it from there. A socket belongs to one thread. Its calls throw RunError.
class ZeromqSocket {
 public:
  enum class Kind { router, dealer };

  explicit ZeromqSocket(Kind kind);

  /// Binds to "tcp://HOST:PORT" and returns it with the port that was chosen for port 0. Throws
  /// Error if that is not possible.
  std::string bind(const std::string& endpoint);
  /// Connects, and connects again by itself when the connection is lost; what was sent before may
  /// then be lost. Throws Error if `endpoint` has no such form.
  void connect(const std::string& endpoint);
  void disconnect(const std::string& endpoint);

  /// False: there is no connection, or the other end takes no more now.
  bool send(const Message& message);
  /// std::nullopt: nothing has come within `patience_s`.
  std::optional<Message> receive(double patience_s);

 private:
  struct Close {
    void operator()(void* socket) const;
  };
  struct Terminate {
    void operator()(void* context) const;
  };
  void set(int option, int value);

  std::unique_ptr<void, Terminate> context_;
  std::unique_ptr<void, Close> socket_;
};

}  // namespace epochcast::stream
