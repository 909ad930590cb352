#include "src/serving/http/connection.hpp"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <tuple>

#include "src/serving/http/message.hpp"

namespace epochcast::http {

/// Counts itself in `count` while it lives. Not in the namespace below: frames of coroutines have
/// it.
class Counted {
 public:
  explicit Counted(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  std::atomic<std::size_t>& count_;
};

/// Calls `deliver` with the first answer; with a failure, if there will be none. Is counted in
/// `count` until `deliver`, and with it the connection, has gone from the thread that answered: the
/// server must live as long.
class PendingAnswer {
 public:
  PendingAnswer(std::atomic<std::size_t>& count, std::function<void(Response)> deliver)
      : counted_(count), deliver_(std::move(deliver)) {}
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;
  ~PendingAnswer() { answer(error_response(500, "the request was not answered")); }

  void answer(Response response) {
    if (!answered_.exchange(true)) {
      deliver_(std::move(response));
    }
  }

 private:
  Counted counted_;  ///< First, so that it ends last.
  std::function<void(Response)> deliver_;
  std::atomic<bool> answered_{false};
};

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;  // the messages as they are sent

/// After a refusal, so much of the request is read and thrown away, for at most so long: if it were
/// not read, closing would reset the connection, and the client might never see the answer.
constexpr std::size_t most_lingering_bytes = std::size_t(16) << 20;
constexpr double lingering_s = 2;

constexpr std::size_t bytes_a_read = 65536;

/// An answer that takes longer is worth the look whether its client is still there.
constexpr auto unwatched = std::chrono::milliseconds(10);

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

/// The path of "/predict?x=1".
std::string path_of(beast::string_view target) {
  return std::string(target.substr(0, target.find('?')));
}

/// The status and the reason for a request that the parser refused; status 0: the client has gone.
std::pair<int, std::string> refusal_of(beast::error_code error, const ServerOptions& options) {
  if (error == wire::error::end_of_stream) {
    return {0, ""};
  }
  if (error == wire::error::body_limit) {
    return {413, "the body is larger than " + std::to_string(options.body_bytes) + " bytes"};
  }
  if (error == wire::error::header_limit || error == wire::error::buffer_overflow) {
    return {431, "the header is larger than " + std::to_string(options.header_bytes) + " bytes"};
  }
  if (error.category() == wire::make_error_code(wire::error::bad_value).category()) {
    return {400, "not a request of HTTP/1.1: " + error.message()};
  }
  return {0, ""};
}

/// What Beast's parser accepts although the length of the body is not certain, or RFC 9112 forbids
/// it; "": nothing.
std::string request_fault(const wire::request<wire::string_body>& request, bool chunked) {
  if (request.count(wire::field::transfer_encoding) > 0 && !chunked) {
    return "Transfer-Encoding: expected chunked";
  }
  if (request.version() == 11 && request.count(wire::field::host) != 1) {
    return "expected one header Host";
  }
  if (request.target().empty() || request.target().front() != '/') {
    return "expected a path that begins with '/'";
  }
  return "";
}

}  // namespace

Connection::Connection(ConnectionContext& context, asio::ip::tcp::socket socket)
    : context_(context),
      stream_(std::move(socket)),
      buffer_(context.options.header_bytes + bytes_a_read),
      answer_arrives_(stream_.get_executor()) {
  beast::error_code ignored;
  std::ignore = stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
}

asio::awaitable<void> Connection::serve() {
  const auto self = shared_from_this();
  for (bool goes_on = true; goes_on && !closed_;) {
    goes_on = co_await wait_for_request();
    if (goes_on) {
      goes_on = co_await answer_request();
    }
  }
  close();
}

asio::awaitable<void> Connection::refuse() {
  const auto self = shared_from_this();
  co_await send_refusal(503, "too many connections");
  close();
}

/// Whether the system has received something that was not read.
bool Connection::has_bytes() {
  beast::error_code ignored;
  return stream_.socket().available(ignored) > 0;
}

void Connection::close_if_idle() {
  if (idle_ && !has_bytes()) {
    close();
  }
}

void Connection::close() {
  closed_ = true;
  beast::error_code ignored;
  std::ignore = stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
}

bool Connection::is_cut_off(Error error) {
  if (error == beast::error::timeout) {
    ++context_.handler.counts.cut_off;
    return true;
  }
  return false;
}

/// False if the client closes or stays silent. The memory of a large request is given back first.
asio::awaitable<bool> Connection::wait_for_request() {
  if (buffer_.size() > 0) {
    co_return true;
  }
  if (context_.closing && !has_bytes()) {
    co_return false;
  }
  buffer_.shrink_to_fit();
  idle_ = true;
  stream_.expires_after(duration(context_.options.idle_s));
  beast::error_code error;
  const std::size_t bytes = co_await stream_.async_read_some(
      buffer_.prepare(2048), asio::redirect_error(asio::use_awaitable, error));
  idle_ = false;
  buffer_.commit(bytes);
  co_return !error;
}

asio::awaitable<Connection::Error> Connection::receive() {
  const ServerOptions& options = context_.options;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(options.header_bytes));
  parser_->body_limit(options.body_bytes);
  stream_.expires_after(duration(options.receive_s));
  beast::error_code error;
  co_await wire::async_read_header(stream_, buffer_, *parser_,
                                   asio::redirect_error(asio::use_awaitable, error));
  if (error) {
    co_return error;
  }
  if (beast::iequals(parser_->get()[wire::field::expect], "100-continue")) {
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(stream_, asio::buffer(go_on),
                               asio::redirect_error(asio::use_awaitable, error));
  }
  if (!error && !parser_->is_done()) {
    co_await wire::async_read(stream_, buffer_, *parser_,
                              asio::redirect_error(asio::use_awaitable, error));
  }
  co_return error;
}

/// Whether the connection stays open.
asio::awaitable<bool> Connection::answer_request() {
  const Counted unanswered(context_.unanswered);
  const beast::error_code error = co_await receive();
  if (error) {
    const auto [status, reason] = refusal_of(error, context_.options);
    if (!is_cut_off(error) && status != 0) {
      co_await send_refusal(status, reason);
    }
    co_return false;
  }
  const std::string fault = request_fault(parser_->get(), parser_->chunked());
  if (!fault.empty()) {
    co_await send_refusal(400, fault);
    co_return false;
  }
  const bool without_body = parser_->get().method() == wire::verb::head;
  const bool keep_alive = parser_->get().keep_alive();
  const std::string path = path_of(parser_->get().target());
  Response response = co_await ask_handler();
  context_.handler.answered(path, response.status);
  const bool goes_on = keep_alive && (!context_.draining || buffer_.size() > 0);
  co_return co_await send(std::move(response), goes_on, without_body);
}

Request Connection::take_request() {
  auto message = parser_->release();
  parser_.reset();
  return {.method = std::string(message.method_string()),
          .path = path_of(message.target()),
          .host = std::string(message[wire::field::host]),
          .origin = std::string(message[wire::field::origin]),
          .content_type = std::string(message[wire::field::content_type]),
          .authorization = std::string(message[wire::field::authorization]),
          .body = std::move(message.body()),
          .abandoned = abandoned_};
}

asio::awaitable<Response> Connection::ask_handler() {
  answer_.reset();
  abandoned_ = std::make_shared<std::atomic<bool>>(false);
  ++questions_;
  auto pending = std::make_shared<PendingAnswer>(
      context_.pending, [self = shared_from_this()](Response answer) {
        asio::post(self->executor(), [self, answer = std::move(answer)]() mutable {
          self->deliver(std::move(answer));
        });
      });
  try {
    context_.handler.handle(take_request(),
                            [pending](Response answer) { pending->answer(std::move(answer)); });
  } catch (const std::exception& error) {
    pending->answer(error_response(500, error.what()));
  }
  pending.reset();  // only the handler has it now
  beast::error_code ignored;
  answer_arrives_.expires_after(unwatched);
  co_await answer_arrives_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  if (!answer_) {
    watch_client();
    answer_arrives_.expires_at(asio::steady_timer::time_point::max());
  }
  while (!answer_) {
    co_await answer_arrives_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  abandoned_.reset();
  Response answer = std::move(*answer_);
  answer_.reset();
  co_return answer;
}

/// Until the answer is there: nothing else reads from the socket meanwhile.
void Connection::watch_client() {
  watches_ = true;
  stream_.socket().async_wait(
      asio::ip::tcp::socket::wait_read,
      [self = shared_from_this(), question = questions_](beast::error_code error) {
        if (!error && question == self->questions_) {
          self->look_at_client();
        }
      });
}

/// Something has arrived. If it is a next request, the client is there, and whether it goes later
/// cannot be seen before that request is read.
void Connection::look_at_client() {
  watches_ = false;
  if (abandoned_ == nullptr) {  // the answer has come meanwhile
    return;
  }
  char byte = 0;
  beast::error_code error;
  std::ignore = stream_.socket().non_blocking(true, error);
  stream_.socket().receive(asio::buffer(&byte, 1), asio::ip::tcp::socket::message_peek, error);
  if (error == asio::error::would_block) {
    watch_client();
  } else if (error) {
    *abandoned_ = true;
  }
}

void Connection::deliver(Response response) {
  answer_ = std::move(response);
  answer_arrives_.cancel();
  if (watches_) {
    watches_ = false;
    beast::error_code ignored;
    std::ignore = stream_.socket().cancel(ignored);
  }
}

asio::awaitable<bool> Connection::send(Response response, bool keep_alive, bool without_body) {
  wire::response<wire::string_body> message{static_cast<wire::status>(response.status), 11};
  message.set(wire::field::content_type, response.content_type);
  for (const auto& [name, value] : response.headers) {
    message.set(name, value);
  }
  message.keep_alive(keep_alive);
  message.content_length(response.body.size());
  if (!without_body) {
    message.body() = std::move(response.body);
  }
  stream_.expires_after(duration(context_.options.send_s));
  beast::error_code error;
  co_await wire::async_write(stream_, message, asio::redirect_error(asio::use_awaitable, error));
  is_cut_off(error);
  co_return keep_alive && !error;
}

asio::awaitable<void> Connection::send_refusal(int status, std::string reason) {
  Response response = error_response(status, reason);
  context_.handler.answered("", status);
  co_await send(std::move(response), /*keep_alive=*/false, /*without_body=*/false);
  co_await linger();
}

/// Says that nothing more will be sent, and waits until the client has closed.
asio::awaitable<void> Connection::linger() {
  beast::error_code error;
  std::ignore = stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
  stream_.expires_after(duration(lingering_s));
  buffer_.clear();
  for (std::size_t read = 0; !error && !closed_ && read < most_lingering_bytes;) {
    read += co_await stream_.async_read_some(buffer_.prepare(16384),
                                             asio::redirect_error(asio::use_awaitable, error));
  }
}

}  // namespace epochcast::http
