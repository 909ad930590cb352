#include "src/serving/http/server.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "src/base/core/error.hpp"
#include "src/base/core/signals.hpp"
#include "src/serving/http/connection.hpp"

namespace epochcast::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t other_descriptors = 64;          ///< Files, libraries, devices.
constexpr std::size_t most_refusals = 64;              ///< Refused connections that stay open.
constexpr auto pause = std::chrono::milliseconds(50);  // before a connection is accepted again
constexpr auto between_looks = std::chrono::milliseconds(10);
constexpr int quiet_looks = 10;

/// Raises the limit of open files of this process, as far as it may. Throws RunError if that is not
/// far enough.
void allow_descriptors(std::size_t connections) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = connections + 2 * most_refusals + other_descriptors;
  if (limit.rlim_cur >= needed) {
    return;
  }
  if (limit.rlim_max < needed) {
    throw RunError(
        fmt::format("{} connections need {} open files, but this process may open {}; raise the "
                    "limit (ulimit -n) or allow fewer connections",
                    connections, needed, limit.rlim_max));
  }
  limit.rlim_cur = needed;
  setrlimit(RLIMIT_NOFILE, &limit);
}

tcp::endpoint listen_endpoint(asio::io_context& context, const ServerOptions& options) {
  tcp::resolver resolver(context);
  error_code error;
  const auto found = resolver.resolve(options.host, std::to_string(options.port), error);
  if (error || found.empty()) {
    throw Error(fmt::format("the host '{}' has no address: {}", options.host, error.message()));
  }
  return found.begin()->endpoint();
}

}  // namespace

class Server::Body {
 public:
  Body(const ServerOptions& options, Handler& handler)
      : options_(options),
        shared_{.options = options_, .handler = handler},
        counts_(handler.counts),
        context_(options.threads),
        acceptor_(asio::make_strand(context_)),
        retry_(acceptor_.get_executor()) {
    allow_descriptors(options.connections);
    listen();
    asio::co_spawn(acceptor_.get_executor(), accept_all(), asio::detached);
    const BlockedSignals blocked;  // the program receives them elsewhere
    for (int i = 0; i < options.threads; ++i) {
      threads_.emplace_back([this] { context_.run(); });
    }
  }

  ~Body() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stop_listening();
    for_each_connection([](Connection& connection) { connection.close(); });
    for (auto& thread : threads_) {
      thread.join();
    }
    while (shared_.pending >
           0) {  // a thread that has answered is about to let go of its connection
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::uint16_t port() const { return port_; }

  void start_draining() { shared_.draining = true; }

  std::size_t drain(double limit_s) {
    start_draining();
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
    // Several times: a request that the system has received is counted once a thread has seen it.
    const auto wait_until_quiet = [&] {
      for (int quiet = 0; quiet < quiet_looks && std::chrono::steady_clock::now() < end;) {
        std::this_thread::sleep_for(between_looks);
        quiet = shared_.unanswered == 0 ? quiet + 1 : 0;
      }
    };
    wait_until_quiet();
    stop_listening();
    shared_.closing = true;
    for_each_connection([](Connection& connection) { connection.close_if_idle(); });
    wait_until_quiet();  // what came meanwhile is answered too
    return shared_.unanswered;
  }

 private:
  void listen() {
    const tcp::endpoint endpoint = listen_endpoint(context_, options_);
    error_code error;
    std::ignore = acceptor_.open(endpoint.protocol(), error);
    if (!error) {
      std::ignore = acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
      std::ignore = acceptor_.bind(endpoint, error);
    }
    if (!error) {
      std::ignore = acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
      throw RunError(fmt::format("cannot listen on port {} of {}: {}", options_.port, options_.host,
                                 error.message()));
    }
    port_ = acceptor_.local_endpoint().port();
  }

  void stop_listening() {
    asio::post(acceptor_.get_executor(), [this] {
      error_code error;
      std::ignore = acceptor_.non_blocking(true, error);
      while (!error) {  // those that the system has accepted would be reset
        tcp::socket socket(asio::make_strand(context_));
        std::ignore = acceptor_.accept(socket, error);
        if (!error) {
          start(std::move(socket));
        }
      }
      std::ignore = acceptor_.close(error);
      retry_.cancel();
    });
  }

  asio::awaitable<void> accept_all() {
    while (acceptor_.is_open()) {
      tcp::socket socket(asio::make_strand(context_));
      error_code error;
      co_await acceptor_.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
      if (!error) {
        start(std::move(socket));
      } else if (acceptor_.is_open()) {  // no descriptor or no memory is free
        retry_.expires_after(pause);
        co_await retry_.async_wait(asio::redirect_error(asio::use_awaitable, error));
      }
    }
  }

  void start(tcp::socket socket) {
    const auto connection = std::make_shared<Connection>(shared_, std::move(socket));
    bool refused = false;
    {
      const std::lock_guard lock(mutex_);
      refused = open_.size() >= options_.connections;
      ++(refused ? counts_.refused : counts_.accepted);
      if (stopping_ || open_.size() >= options_.connections + 2 * most_refusals) {
        return;
      }
      if (refused) {
        refused_.push_back(connection);
      }
      if (refused_.size() > most_refusals) {  // the oldest has had its answer, and lingers
        if (const auto oldest = refused_.front().lock()) {
          asio::post(oldest->executor(), [oldest] { oldest->close(); });
        }
        refused_.pop_front();
      }
      open_.insert(connection);
      ++counts_.connections;
    }
    asio::co_spawn(connection->executor(), refused ? connection->refuse() : connection->serve(),
                   [this, connection](const std::exception_ptr&) {
                     const std::lock_guard lock(mutex_);
                     counts_.connections -= open_.erase(connection);
                   });
  }

  template <class Action>
  void for_each_connection(Action action) {
    const std::lock_guard lock(mutex_);
    for (const auto& connection : open_) {
      asio::post(connection->executor(), [connection, action] { action(*connection); });
    }
  }

  const ServerOptions options_;
  ConnectionContext shared_;
  ServerCounts& counts_;
  asio::io_context context_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;  ///< Of what follows.
  std::set<std::shared_ptr<Connection>> open_;
  std::deque<std::weak_ptr<Connection>> refused_;  ///< The last ones, the oldest first.
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

Server::Server(const ServerOptions& options, Handler& handler)
    : body_(std::make_unique<Body>(options, handler)) {}

Server::~Server() = default;

std::uint16_t Server::port() const {
  return body_->port();
}

void Server::start_draining() {
  body_->start_draining();
}

std::size_t Server::drain(double limit_s) {
  return body_->drain(limit_s);
}

}  // namespace epochcast::http
