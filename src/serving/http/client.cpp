#include "src/serving/http/client.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/serving/http/event_loop_body.hpp"

namespace epochcast::http {
namespace {

namespace beast = boost::beast;
using Tcp = asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr std::size_t most_answer_bytes = std::size_t(64) << 20;

}  // namespace

struct Client::Job {
  std::shared_ptr<const std::string> request;
  double deadline_s = 0;
  std::function<void(Answer)> done;
  double sent_s = 0;
  bool is_second_try = false;
};

bool Answer::is_ok() const {
  constexpr int status_ok = 200;
  return failure == Failure::none && status == status_ok;
}

/// One connection and the request that it carries. Its handlers keep it alive.
class Client::Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `idle` is called when the connection has no request any more.
  Connection(asio::io_context& context, const Clock& clock,
             const Tcp::resolver::results_type& endpoints,
             std::function<void(const std::shared_ptr<Connection>&)> idle)
      : context_(context), clock_(clock), endpoints_(endpoints), idle_(std::move(idle)) {}

  void start(Job job) {
    job_ = std::move(job);
    job_.sent_s = clock_.now_s();
    is_kept_ = stream_.has_value();
    is_kept_ ? write() : connect();
  }

 private:
  void connect() {
    stream_.emplace(context_);
    buffer_.clear();
    set_deadline();
    stream_->async_connect(
        endpoints_, [self = shared_from_this()](ErrorCode error, const Tcp::endpoint&) {
          if (error) {
            return self->fail(error);
          }
          ErrorCode ignored;
          static_cast<void>(self->stream_->socket().set_option(Tcp::no_delay(true), ignored));
          self->write();
        });
  }

  void set_deadline() { stream_->expires_at(steady_time(clock_, job_.deadline_s)); }

  void write() {
    set_deadline();
    parser_.emplace();
    parser_->body_limit(most_answer_bytes);
    asio::async_write(*stream_, asio::buffer(*job_.request),
                      [self = shared_from_this()](ErrorCode error, std::size_t) {
                        error ? self->fail(error) : self->read();
                      });
  }

  void read() {
    beast::http::async_read(*stream_, buffer_, *parser_,
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              error ? self->fail(error) : self->finish();
                            });
  }

  void finish() {
    Answer answer{.status = static_cast<int>(parser_->get().result_int()),
                  .body = std::move(parser_->get().body())};
    if (!parser_->keep_alive()) {
      stream_.reset();
    }
    deliver(std::move(answer));
  }

  void fail(ErrorCode error) {
    const bool timed_out = error == beast::error::timeout;
    const bool was_stale = is_kept_ && parser_ && !parser_->got_some();
    stream_.reset();
    if (was_stale && !timed_out && !job_.is_second_try) {
      job_.is_second_try = true;
      is_kept_ = false;
      return connect();
    }
    deliver({.failure = timed_out ? Failure::timeout : Failure::connection,
             .reason = timed_out ? "no answer in time" : error.message()});
  }

  void deliver(Answer answer) {
    answer.sent_s = job_.sent_s;
    answer.answered_s = clock_.now_s();
    const auto done = std::move(job_.done);
    job_ = {};
    idle_(shared_from_this());
    done(std::move(answer));
  }

  asio::io_context& context_;
  const Clock& clock_;
  const Tcp::resolver::results_type& endpoints_;
  std::function<void(const std::shared_ptr<Connection>&)> idle_;
  std::optional<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  std::optional<beast::http::response_parser<beast::http::string_body>> parser_;
  Job job_;
  bool is_kept_ = false;
};

struct Client::Body {
  Body(asio::io_context& its_context, const Clock& its_clock, std::size_t its_most)
      : context(its_context), clock(its_clock), most(its_most) {}

  asio::io_context& context;
  const Clock& clock;
  std::size_t most;
  Tcp::resolver::results_type endpoints;
  std::size_t opened = 0;
  std::vector<std::shared_ptr<Connection>> idle;  ///< The last one is the warmest.
  std::deque<Job> waiting;

  void resolve(const Address& address) {
    ErrorCode error;
    endpoints = Tcp::resolver(context).resolve(address.host, address.port, error);
    if (error) {
      throw Error(address.url() + ": the host has no address: " + error.message());
    }
  }

  void send(Job job) {
    waiting.push_back(std::move(job));
    hand_out();
  }

  void hand_out() {
    while (!waiting.empty()) {
      if (drop_if_late(waiting.front())) {
        waiting.pop_front();
        continue;
      }
      if (idle.empty() && opened == most) {
        return;
      }
      const auto connection = free_one();
      Job job = std::move(waiting.front());
      waiting.pop_front();
      connection->start(std::move(job));
    }
  }

  std::shared_ptr<Connection> free_one() {
    if (!idle.empty()) {
      auto connection = std::move(idle.back());
      idle.pop_back();
      return connection;
    }
    ++opened;
    return std::make_shared<Connection>(context, clock, endpoints,
                                        [this](const std::shared_ptr<Connection>& connection) {
                                          idle.push_back(connection);
                                          // The request's own function comes first: it may send the
                                          // next one.
                                          asio::post(context, [this] { hand_out(); });
                                        });
  }

  /// A request whose time is up before it had a connection.
  bool drop_if_late(Job& job) {
    if (clock.now_s() < job.deadline_s) {
      return false;
    }
    asio::post(context, [done = std::move(job.done), now_s = clock.now_s()] {
      done({.failure = Failure::timeout,
            .reason = "no connection was free in time",
            .answered_s = now_s});
    });
    return true;
  }
};

Client::Client(EventLoop& loop, const Address& address, std::size_t connections)
    : body_(std::make_shared<Body>(loop.body_->context, loop.body_->clock, connections)) {
  body_->resolve(address);
}

Client::~Client() = default;

void Client::send(std::shared_ptr<const std::string> request, double deadline_s,
                  std::function<void(Answer)> done) {
  body_->send({.request = std::move(request), .deadline_s = deadline_s, .done = std::move(done)});
}

Answer ask(const Address& address, const std::string& request, double timeout_s) {
  const SteadyClock clock;
  EventLoop loop(clock);
  Client client(loop, address, 1);
  Answer answer;
  client.send(std::make_shared<const std::string>(request), clock.now_s() + timeout_s,
              [&](Answer given) {
                answer = std::move(given);
                loop.stop();
              });
  loop.run();
  return answer;
}

}  // namespace epochcast::http
