#include "src/serving/stream/zeromq.hpp"

#include <fmt/format.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "src/base/core/error.hpp"

namespace epochcast::stream {
namespace {

constexpr int waiting_batches = 4;  ///< The rest waits at the producer.
constexpr int waiting_answers = 1000;
constexpr int last_answers_ms = 2000;
constexpr int send_wait_ms = 200;
constexpr int heartbeat_ms = 5000;
constexpr std::int64_t most_message_bytes = std::int64_t(1) << 28;
constexpr std::size_t most_parts = 8;

[[noreturn]] void fail(const std::string& what) {
  throw RunError(fmt::format("ZeroMQ: {}: {}", what, zmq_strerror(zmq_errno())));
}

/// A part of a message that is received.
class Part {
 public:
  Part() { zmq_msg_init(&message_); }
  ~Part() { zmq_msg_close(&message_); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  bool receive(void* socket, int flags) { return zmq_msg_recv(&message_, socket, flags) >= 0; }
  bool has_more() const { return zmq_msg_more(&message_) != 0; }
  std::string text() {
    return {static_cast<const char*>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }

 private:
  zmq_msg_t message_{};
};

}  // namespace

void ZeromqSocket::Close::operator()(void* socket) const {
  zmq_close(socket);
}

void ZeromqSocket::Terminate::operator()(void* context) const {
  zmq_ctx_term(context);
}

ZeromqSocket::ZeromqSocket(Kind kind)
    : context_(zmq_ctx_new()),
      socket_(zmq_socket(context_.get(), kind == Kind::router ? ZMQ_ROUTER : ZMQ_DEALER)) {
  if (!socket_) {
    fail("no socket");
  }
  const bool gets_batches = kind == Kind::router;
  // A consumer that ends has just acknowledged the last batch: without it, the producer waits.
  set(ZMQ_LINGER, gets_batches ? last_answers_ms : 0);
  set(ZMQ_RCVHWM, gets_batches ? waiting_batches : waiting_answers);
  set(ZMQ_SNDHWM, gets_batches ? waiting_answers : waiting_batches);
  set(ZMQ_SNDTIMEO, send_wait_ms);
  set(ZMQ_HEARTBEAT_IVL, heartbeat_ms);
  set(ZMQ_IMMEDIATE, 1);
  zmq_setsockopt(socket_.get(), ZMQ_MAXMSGSIZE, &most_message_bytes, sizeof(most_message_bytes));
}

void ZeromqSocket::set(int option, int value) {
  if (zmq_setsockopt(socket_.get(), option, &value, sizeof(value)) != 0) {
    fail("an option is not supported");
  }
}

std::string ZeromqSocket::bind(const std::string& endpoint) {
  if (zmq_bind(socket_.get(), endpoint.c_str()) != 0) {
    throw Error(fmt::format("{}: cannot be bound to: {}", endpoint, zmq_strerror(zmq_errno())));
  }
  std::array<char, 256> bound{};
  std::size_t size = bound.size();
  zmq_getsockopt(socket_.get(), ZMQ_LAST_ENDPOINT, bound.data(), &size);
  return bound.data();
}

void ZeromqSocket::connect(const std::string& endpoint) {
  if (zmq_connect(socket_.get(), endpoint.c_str()) != 0) {
    throw Error(fmt::format("{}: cannot be connected to: {}", endpoint, zmq_strerror(zmq_errno())));
  }
}

void ZeromqSocket::disconnect(const std::string& endpoint) {
  zmq_disconnect(socket_.get(), endpoint.c_str());
}

bool ZeromqSocket::send(const Message& message) {
  for (std::size_t i = 0; i < message.size(); ++i) {
    const int flags = i + 1 < message.size() ? ZMQ_SNDMORE : 0;
    if (zmq_send(socket_.get(), message[i].data(), message[i].size(), flags) < 0) {
      if (zmq_errno() == EAGAIN || zmq_errno() == EHOSTUNREACH) {
        return false;
      }
      fail("cannot send");
    }
  }
  return true;
}

std::optional<Message> ZeromqSocket::receive(double patience_s) {
  zmq_pollitem_t item{socket_.get(), 0, ZMQ_POLLIN, 0};
  if (zmq_poll(&item, 1, static_cast<long>(patience_s * 1000)) <= 0) {
    return std::nullopt;
  }
  Message message;
  bool more = true;
  while (more) {
    Part part;
    if (!part.receive(socket_.get(), ZMQ_DONTWAIT)) {
      return std::nullopt;
    }
    more = part.has_more();
    if (message.size() < most_parts) {
      message.push_back(part.text());
    }
  }
  return message;
}

}  // namespace epochcast::stream
