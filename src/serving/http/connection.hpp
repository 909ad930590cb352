// One connection of the server: receives a request, waits for its answer, sends it, and so on. For
// the files of src/serving/http alone.
#pragma once

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp needs it and forgets it, so it comes first
// clang-format on

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "src/serving/http/server.hpp"

namespace epochcast::http {

/// What all connections of a server share.
struct ConnectionContext {
  const ServerOptions& options;
  Handler& handler;
  std::atomic<bool> draining{false};       ///< Each answer is the last of its connection.
  std::atomic<bool> closing{false};        ///< No further request is waited for.
  std::atomic<std::size_t> unanswered{0};  ///< Connections with a request not yet answered.
  std::atomic<std::size_t> pending{0};     ///< Replies that a handler still holds.
};

/// All functions run on the executor of the socket.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(ConnectionContext& context, boost::asio::ip::tcp::socket socket);

  /// Answers requests until one of both ends closes.
  boost::asio::awaitable<void> serve();

  /// Answers 503 to whatever comes, and closes.
  boost::asio::awaitable<void> refuse();

  /// Ends the wait for a next request. A request that has begun to arrive is not affected.
  void close_if_idle();
  /// Closes now.
  void close();

  boost::asio::any_io_executor executor() { return stream_.get_executor(); }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Error = boost::beast::error_code;

  boost::asio::awaitable<bool> wait_for_request();
  boost::asio::awaitable<bool> answer_request();
  boost::asio::awaitable<Error> receive();
  boost::asio::awaitable<Response> ask_handler();
  boost::asio::awaitable<bool> send(Response response, bool keep_alive, bool without_body);
  boost::asio::awaitable<void> send_refusal(int status, std::string reason);
  boost::asio::awaitable<void> linger();
  Request take_request();
  void watch_client();
  void look_at_client();
  void deliver(Response response);
  bool is_cut_off(Error error);
  bool has_bytes();

  ConnectionContext& context_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  boost::asio::steady_timer answer_arrives_;
  std::optional<Response> answer_;
  std::shared_ptr<std::atomic<bool>> abandoned_;  ///< Of the request that waits for its answer.
  std::uint64_t questions_ = 0;                   ///< To the handler, so far.
  bool watches_ = false;                          ///< A wait for the client is under way.
  bool idle_ = false;
  bool closed_ = false;
};

}  // namespace epochcast::http
