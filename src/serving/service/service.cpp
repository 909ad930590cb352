#include "src/serving/service/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/serving/service/site.hpp"

namespace epochcast::serve {
namespace {

constexpr const char* cache_header = "X-MLAPI-Cache";  // as the published service names it
constexpr double longest_retry_s = 60;
constexpr int status_abandoned = 499;  // no standard has one; as nginx counts such requests

struct Route {
  std::string_view path;
  std::string_view method;
  bool needs_token;
};

constexpr std::array routes{Route{"/predict", "POST", true}, Route{"/health", "GET", false},
                            Route{"/metrics", "GET", true}};

const Route* route_to(std::string_view path) {
  const auto* found = std::ranges::find(routes, path, &Route::path);
  return found == routes.end() ? nullptr : found;
}

bool accepts(const Route& route, std::string_view method) {
  return method == route.method || (method == "HEAD" && route.method == "GET");
}

/// The answer to a request without a route, with another method, without the token, or, where none
/// is asked for, from another site.
std::optional<http::Response> refused_request(const http::Request& request,
                                              const ServiceSettings& settings) {
  const Route* route = route_to(request.path);
  if (route == nullptr) {
    return http::error_response(
        404, fmt::format("there is no {}; expected POST /predict, GET /health or GET /metrics",
                         request.path));
  }
  if (!accepts(*route, request.method)) {
    auto response = http::error_response(
        405, fmt::format("found {} {}, expected {}", request.method, route->path, route->method));
    response.headers.emplace_back("Allow", route->method);
    return response;
  }
  if (route->needs_token && !admits(settings.token, request.authorization)) {
    auto response = http::error_response(401, "expected 'Authorization: Bearer TOKEN'");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (route->needs_token && settings.token.empty()) {
    if (const auto fault = fault_of_site(request, settings.names); !fault.empty()) {
      return http::error_response(403, fault + ", since this service has no token (--token-file)");
    }
  }
  return std::nullopt;
}

RequestLimits limits_of(const ServiceSettings& settings) {
  auto limits = settings.limits;
  limits.items = std::min(limits.items, settings.batches.queue);  // else it could never be admitted
  return limits;
}

}  // namespace

struct Service::Asked {
  http::Reply reply;
  std::string key;
  double start_s = 0;
};

Service::Service(Predictor& predictor, const ServiceSettings& settings, Cache* cache,
                 std::function<void()> warm_up)
    : predictor_(predictor),
      settings_(settings),
      cache_(cache),
      writer_(predictor.labels()),
      batcher_(
          predictor, settings.batches, std::move(warm_up),
          [this](std::size_t inputs, double seconds) { metrics_.add_batch(inputs, seconds); }) {}

void Service::handle(http::Request request, http::Reply reply) {
  if (auto fault = refused_request(request, settings_)) {
    reply(std::move(*fault));
  } else if (request.path == "/predict") {
    predict(request, reply);
  } else {
    reply(request.path == "/health" ? health() : page());
  }
}

void Service::answered(const std::string& path, int status) {
  metrics_.add_answer(route_to(path) == nullptr ? "other" : path, status);
}

http::Response Service::health() const {
  if (draining_) {
    return {.status = 503, .body = R"({"status":"draining"})"};
  }
  switch (batcher_.health()) {
    case Batcher::Health::ready:
      return {.body = R"({"status":"healthy"})"};
    case Batcher::Health::warming:
      return {.status = 503, .body = R"({"status":"warming up"})"};
    case Batcher::Health::failing:
      break;
  }
  return {.status = 503, .body = R"({"status":"failing"})"};
}

http::Response Service::page() const {
  return {.body = metrics_.page({.ready = !draining_ && batcher_.health() == Batcher::Health::ready,
                                 .queue = batcher_.waiting(),
                                 .queue_limit = settings_.batches.queue,
                                 .abandoned = batcher_.abandoned()},
                                counts),
          .content_type = "text/plain; version=0.0.4; charset=utf-8"};
}

/// 503, if no request is taken now.
std::optional<http::Response> Service::refusal() const {
  if (draining_) {
    return http::error_response(503, "the service is ending");
  }
  if (batcher_.health() == Batcher::Health::warming) {
    return http::error_response(503, "the model is not ready yet");
  }
  return std::nullopt;
}

http::Response Service::full() const {
  const double seconds = std::clamp(std::ceil(batcher_.backlog_s()), 1.0, longest_retry_s);
  return http::error_response(
      429, fmt::format("{} inputs wait already; try again later", batcher_.waiting()),
      static_cast<int>(seconds));
}

void Service::predict(const http::Request& request, const http::Reply& reply) {
  const double start_s = SteadyClock().now_s();
  if (auto refused = refusal()) {
    return reply(std::move(*refused));
  }
  try {
    const auto items =
        read_items(predictor_.kind(), request.body, request.content_type, limits_of(settings_));
    Asked asked{reply, cache_ == nullptr ? "" : cache_key(settings_.model, items), start_s};
    if (auto cached = find_cached(asked.key)) {
      metrics_.add_latency(SteadyClock().now_s() - start_s);
      return reply({.body = std::move(*cached), .headers = {{cache_header, "HIT"}}});
    }
    if (batcher_.waiting() + items.size() > settings_.batches.queue) {
      return reply(full());  // before the texts are tokenized
    }
    const auto admission = batcher_.submit(
        prepare(items),
        [this, asked = std::move(asked)](const Outcome& outcome) { finish(asked, outcome); },
        request.abandoned);
    if (admission != Batcher::Admission::accepted) {
      reply(admission == Batcher::Admission::full
                ? full()
                : http::error_response(503, "the service is ending"));
    }
  } catch (const BadRequest& error) {
    reply(http::error_response(error.http_status(), error.what()));
  }
}

std::vector<std::unique_ptr<Input>> Service::prepare(const std::vector<std::string>& items) const {
  std::vector<std::unique_ptr<Input>> inputs;
  inputs.reserve(items.size());
  for (const auto& item : items) {
    try {
      inputs.push_back(predictor_.prepare(item));
    } catch (const Error& error) {
      if (error.status() != exit_bad_input) {
        throw;
      }
      throw BadRequest(
          422, fmt::format("{}[{}]: {}", predictor_.kind() == Kind::text ? "text" : "picture",
                           inputs.size(), error.what()));
    }
  }
  return inputs;
}

std::optional<std::string> Service::find_cached(const std::string& key) {
  if (cache_ == nullptr) {
    return std::nullopt;
  }
  try {
    auto found = cache_->find(key);
    metrics_.add_cache_use(found ? CacheUse::hit : CacheUse::miss);
    return found;
  } catch (const RunError&) {
    metrics_.add_cache_use(CacheUse::failed);
    return std::nullopt;
  }
}

void Service::keep_cached(const std::string& key, const std::string& answer) {
  if (cache_ == nullptr) {
    return;
  }
  try {
    cache_->keep(key, answer);
  } catch (const RunError&) {
    metrics_.add_cache_use(CacheUse::failed);
  }
}

/// On the thread of the batches.
void Service::finish(const Asked& asked, const Outcome& outcome) {
  if (outcome.stopped) {
    return asked.reply(http::error_response(503, "the service is ending"));
  }
  if (outcome.abandoned) {
    return asked.reply(http::error_response(
        status_abandoned, "the client closed its side of the connection before it was its turn"));
  }
  try {
    if (!outcome.failure.empty()) {
      throw RunError(outcome.failure);
    }
    std::string body = writer_.write(outcome.scores);
    keep_cached(asked.key, body);
    metrics_.add_latency(SteadyClock().now_s() - asked.start_s);
    asked.reply({.body = std::move(body), .headers = {{cache_header, "MISS"}}});
  } catch (const RunError& error) {
    asked.reply(http::error_response(500, error.what()));
  }
}

}  // namespace epochcast::serve
