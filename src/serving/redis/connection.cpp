#include "src/serving/redis/connection.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <cstdlib>

#include "src/base/core/text.hpp"

namespace epochcast::redis {
namespace {

struct ReplyCloser {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

timeval to_timeval(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  return {whole, static_cast<suseconds_t>((seconds - static_cast<double>(whole)) * 1e6)};
}

Value to_value(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      return {.kind = Value::Kind::text, .text = std::string(reply.str, reply.len)};
    case REDIS_REPLY_INTEGER:
      return {.kind = Value::Kind::integer, .integer = reply.integer};
    case REDIS_REPLY_ARRAY: {
      Value value{.kind = Value::Kind::list};
      for (std::size_t i = 0; i < reply.elements; ++i) {
        value.list.push_back(to_value(*reply.element[i]));
      }
      return value;
    }
    default:
      return {};
  }
}

redisContext* context_of(void* context) {
  return static_cast<redisContext*>(context);
}

}  // namespace

Endpoint parse_endpoint(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto port =
      colon == std::string_view::npos ? 0 : parse_integer(text.substr(colon + 1)).value_or(0);
  if (text.find('@') != std::string_view::npos) {
    throw Error(
        fmt::format("found an address with a user or a password, expected HOST:PORT; the "
                    "password belongs in the environment, in {}",
                    password_variable));
  }
  if (port < 1 || port > 65535 || colon == 0) {
    throw Error(fmt::format("found '{}', expected HOST:PORT", text));
  }
  return {std::string(text.substr(0, colon)), static_cast<int>(port)};
}

void Connection::Closer::operator()(void* context) const {
  redisFree(context_of(context));
}

Connection::Connection(const Endpoint& endpoint, double limit_s)
    : name_(fmt::format("Redis at {}:{}", endpoint.host, endpoint.port)),
      limit_s_(limit_s),
      context_(redisConnectWithTimeout(endpoint.host.c_str(), endpoint.port, to_timeval(limit_s))) {
  const auto* context = context_of(context_.get());
  if (context == nullptr || context->err != 0) {
    throw RunError(
        fmt::format("{}: {}", name_, context == nullptr ? "no memory" : context->errstr));
  }
  if (const char* password = std::getenv(password_variable)) {
    command({"AUTH", password});
  }
}

Value Connection::command(const std::vector<std::string_view>& words, double blocks_s) {
  std::vector<const char*> starts;
  std::vector<std::size_t> lengths;
  for (const auto& word : words) {
    starts.push_back(word.data());
    lengths.push_back(word.size());
  }
  auto* context = context_of(context_.get());
  redisSetTimeout(context, to_timeval(limit_s_ + blocks_s));
  const std::unique_ptr<redisReply, ReplyCloser> reply(static_cast<redisReply*>(
      redisCommandArgv(context, static_cast<int>(words.size()), starts.data(), lengths.data())));
  if (reply == nullptr) {
    throw RunError(fmt::format("{}: {}", name_, context->errstr));
  }
  if (reply->type == REDIS_REPLY_ERROR) {
    const std::string_view why(reply->str, static_cast<std::size_t>(reply->len));
    throw Refused(fmt::format("{}: {}: {}{}", name_, words.at(0), printable(why),
                              why.starts_with("NOAUTH") || why.starts_with("WRONGPASS")
                                  ? fmt::format(" Set {} to its password.", password_variable)
                                  : ""));
  }
  return to_value(*reply);
}

}  // namespace epochcast::redis
