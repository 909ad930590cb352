// TCP, by ZeroMQ: producers connect to the consumer.
//
//   producer                                 consumer
//   HELLO protocol, token, source      ──▶
//                                      ◀──   NEXT wanted, durable
//   BATCH source, id, document         ──▶
//                                      ◀──   ACK id (the answers are durable)
//                                      ◀──   REFUSED reason
//
// A producer keeps each batch until its ACK. When it hears nothing, it says HELLO again, and learns
// from which batch it must send again. A consumer takes only the batch that it wants next, so what
// a lost connection has swallowed comes again, in order.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "src/base/core/files.hpp"
#include "src/base/core/host.hpp"
#include "src/base/core/text.hpp"
#include "src/serving/stream/delivered.hpp"
#include "src/serving/stream/transport.hpp"
#include "src/serving/stream/zeromq.hpp"

namespace epochcast::stream::transports {
namespace tcp_transport {

constexpr auto time_to_read = std::chrono::milliseconds(500);

using Time = std::chrono::steady_clock::time_point;

constexpr std::string_view protocol = "epochcast-stream/1";
constexpr double silence_s = 1;          ///< After it, a producer says HELLO again.
constexpr double first_silence_s = 0.1;  ///< The same until it has heard of a consumer.
constexpr double step_s = 0.05;

Time now() {
  return std::chrono::steady_clock::now();
}

double seconds_since(Time time) {
  return std::chrono::duration<double>(now() - time).count();
}

/// The secret that both ends have, from the environment, so that no list of processes shows it.
std::string token() {
  const char* value = std::getenv("EPOCHCAST_STREAM_TOKEN");
  return value == nullptr ? "" : value;
}

/// Takes as long for texts that differ early as for those that differ late.
bool is_same_secret(std::string_view one, std::string_view other) {
  unsigned char difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference |= static_cast<unsigned char>(one[i] ^ (i < other.size() ? other[i] : '\0'));
  }
  return difference == 0;
}

/// ZeroMQ writes "*" for a port that it chooses.
std::string tcp_endpoint(const std::string& where) {
  const auto endpoint = "tcp:" + where;
  const auto colon = endpoint.rfind(':');
  return endpoint.substr(colon) == ":0" ? endpoint.substr(0, colon) + ":*" : endpoint;
}

/// How others reach what is bound to all networks.
std::string reachable(std::string endpoint) {
  constexpr std::string_view all = "//0.0.0.0:";
  if (const auto at = endpoint.find(all); at != std::string::npos) {
    endpoint.replace(at, all.size(), fmt::format("//{}:", host_name()));
  }
  return endpoint;
}

class TcpSource final : public Source {
 public:
  TcpSource(const std::string& where, const Sink& sink)
      : sink_(sink),
        delivered_(sink),
        socket_(ZeromqSocket::Kind::router),
        address_(reachable(socket_.bind(tcp_endpoint(where)))) {}

  TcpSource(const TcpSource&) = delete;
  TcpSource& operator=(const TcpSource&) = delete;

  /// A producer whose connection closes loses what it has received and not read yet: it has time to
  /// read the last acknowledgements.
  ~TcpSource() override {
    if (!routes_.empty()) {
      std::this_thread::sleep_for(time_to_read);
    }
  }

  std::optional<Delivery> next(double patience_s) override {
    const auto started = now();
    for (;;) {
      const double left_s = patience_s - seconds_since(started);
      const auto message = socket_.receive(std::max(0.0, left_s));
      if (!message) {
        return std::nullopt;
      }
      if (auto delivery = handle(*message)) {
        return delivery;
      }
    }
  }

  void done(const Delivery& delivery) override {
    if (const auto route = routes_.find(delivery.batch.source); route != routes_.end()) {
      socket_.send({route->second, "ACK", std::to_string(delivery.batch.id)});
    }
  }

  std::string address() const override { return address_; }

 private:
  /// Ids begin with 1, so a first batch that was lost is noticed.
  std::int64_t wanted(const std::string& source) const {
    return std::max<std::int64_t>(delivered_.last(source), 0) + 1;
  }

  void tell_next(const std::string& identity, const std::string& source) {
    socket_.send({identity, "NEXT", std::to_string(wanted(source)),
                  std::to_string(std::max<std::int64_t>(sink_.last_done(source), 0))});
  }

  std::optional<Delivery> handle(const Message& message) {
    if (message.size() == 5 && message[1] == "HELLO") {
      greet(message);
    } else if (message.size() == 5 && message[1] == "BATCH") {
      return take(message);
    }
    return std::nullopt;  // not from one of our producers
  }

  void greet(const Message& message) {
    const auto& identity = message[0];
    if (message[2] != protocol) {
      socket_.send({identity, "REFUSED", fmt::format("the consumer speaks {}", protocol)});
    } else if (!is_same_secret(message[3], token())) {
      socket_.send({identity, "REFUSED", "the consumer has another EPOCHCAST_STREAM_TOKEN"});
    } else {
      auto& route = routes_[message[4]];
      if (!route.empty() && route != identity) {
        socket_.send({route, "REFUSED", "another producer of the same source has connected"});
      }
      route = identity;
      tell_next(identity, message[4]);
    }
  }

  std::optional<Delivery> take(const Message& message) {
    const auto& identity = message[0];
    const auto& source = message[2];
    const auto id = parse_integer(message[3]);
    const auto route = routes_.find(source);
    if (!id || route == routes_.end() || route->second != identity) {
      return std::nullopt;  // its producer will say HELLO
    }
    if (*id != wanted(source)) {
      if (*id > wanted(source) || delivered_.is_durable(source, *id)) {
        tell_next(identity, source);
      }
      return std::nullopt;
    }
    try {
      Delivery delivery{parse_batch(message[4], fmt::format("batch {} of '{}'", *id, source))};
      delivery.batch.source = source;
      delivery.batch.id = *id;
      delivered_.note(source, *id);
      return delivery;
    } catch (const Error& error) {
      socket_.send({identity, "REFUSED", error.what()});
      return std::nullopt;
    }
  }

  const Sink& sink_;
  Delivered delivered_;
  ZeromqSocket socket_;
  std::string address_;
  std::map<std::string, std::string> routes_;  ///< The producer of each source.
};

class TcpTarget final : public Target {
 public:
  explicit TcpTarget(const TargetPlace& place)
      : place_(place), socket_(ZeromqSocket::Kind::dealer) {
    find_consumer();
  }

  bool find_next(std::int64_t& next, const StopRequested& stop) override {
    while (!known_) {
      if (stop()) {
        return false;
      }
      pump(step_s);
    }
    next = durable_ + 1;
    return true;
  }

  bool release(std::int64_t id, const std::string& document, const StopRequested& stop) override {
    while (std::ssize(unanswered_) >= place_.window) {
      if (stop()) {
        return false;
      }
      pump(step_s);
    }
    unanswered_[id] = document;
    send(id);
    pump(0);
    return true;
  }

  void tend() override { pump(0); }

  bool finish(const StopRequested& stop) override {
    while (!unanswered_.empty()) {
      if (stop()) {
        return false;
      }
      pump(step_s);
    }
    return true;
  }

 private:
  /// Connects to the consumer; with "@FILE", to the one whose address the file has now.
  void find_consumer() {
    auto endpoint = "tcp:" + place_.where;
    if (place_.where.starts_with('@')) {
      const auto file = place_.where.substr(1);
      if (!is_there(file)) {
        return;
      }
      endpoint = std::string(trim(read_file(file)));
    }
    if (endpoint == endpoint_ || endpoint.empty()) {
      return;
    }
    if (!endpoint_.empty()) {
      socket_.disconnect(endpoint_);
    }
    socket_.connect(endpoint);
    endpoint_ = endpoint;
  }

  void send(std::int64_t id) {
    socket_.send({"BATCH", place_.source, std::to_string(id), unanswered_.at(id)});
  }

  /// Hears what has come within `patience_s`, and says HELLO after a silence.
  void pump(double patience_s) {
    if (seconds_since(heard_) > (known_ ? silence_s : first_silence_s)) {
      heard_ = now();
      find_consumer();
      socket_.send({"HELLO", std::string(protocol), token(), place_.source});
    }
    while (const auto message = socket_.receive(patience_s)) {
      heard_ = now();
      patience_s = 0;
      handle(*message);
    }
  }

  void handle(const Message& message) {
    if (message.size() == 3 && message[0] == "NEXT") {
      learn_durable(number(message[2]));
      known_ = true;
      send_again(number(message[1]));
    } else if (message.size() == 2 && message[0] == "ACK") {
      learn_durable(number(message[1]));
    } else if (message.size() == 2 && message[0] == "REFUSED") {
      throw Error(fmt::format("{}: refused: {}", endpoint_, message[1]));
    }
  }

  static std::int64_t number(const std::string& text) { return parse_integer(text).value_or(0); }

  void learn_durable(std::int64_t id) {
    durable_ = std::max(durable_, id);
    unanswered_.erase(unanswered_.begin(), unanswered_.upper_bound(id));
  }

  void send_again(std::int64_t wanted) {
    if (wanted <= durable_) {
      throw Error(
          fmt::format("{}: the consumer wants batch {} of '{}', which was answered before; it has "
                      "another journal",
                      endpoint_, wanted, place_.source));
    }
    if (wanted == sent_again_ && seconds_since(sent_again_at_) < silence_s) {
      return;  // one of several answers to the same gap
    }
    sent_again_ = wanted;
    sent_again_at_ = now();
    for (auto batch = unanswered_.lower_bound(wanted); batch != unanswered_.end(); ++batch) {
      send(batch->first);
    }
  }

  TargetPlace place_;
  ZeromqSocket socket_;
  std::string endpoint_;
  std::map<std::int64_t, std::string> unanswered_;
  std::int64_t durable_ = 0;
  bool known_ = false;
  std::int64_t sent_again_ = 0;  ///< From which batch, last.
  Time sent_again_at_;
  Time heard_;  ///< When the consumer was heard last, or asked.
};

}  // namespace tcp_transport

TransportSpec tcp() {
  return {.summary = "TCP by ZeroMQ; the consumer listens",
          .form = "tcp://HOST:PORT",
          .open_source =
              [](const std::string& where, const Sink& sink) {
                return std::make_unique<tcp_transport::TcpSource>(where, sink);
              },
          .open_target =
              [](const TargetPlace& place) {
                return std::make_unique<tcp_transport::TcpTarget>(place);
              }};
}

}  // namespace epochcast::stream::transports
