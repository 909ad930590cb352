#include "src/serving/load/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/core/text.hpp"

namespace epochcast::load {
namespace {

constexpr double tick_s = 1;
/// What a user waits after a request that found no connection: his next one would find none either,
/// and thousands a second tell no more.
constexpr double pause_of_user_s = 0.1;

std::shared_ptr<const std::string> get_request(const GeneratorParts& parts, const char* path) {
  return std::make_shared<const std::string>(
      http::request_bytes(parts.address, {.path = path, .token = parts.token}));
}

std::function<std::string(const std::string&)> request_maker(const GeneratorParts& parts) {
  return [address = parts.address, token = parts.token](const std::string& body) {
    return http::request_bytes(address, {.method = "POST",
                                         .path = "/predict",
                                         .body = body,
                                         .content_type = "application/json",
                                         .token = token});
  };
}

/// Users have one connection each, whatever the limit.
std::size_t connections(const Stages& stages, const run::LoadOptions& options) {
  return stages.are_rates ? static_cast<std::size_t>(options.connections)
                          : static_cast<std::size_t>(stages.most());
}

}  // namespace

Generator::Generator(const GeneratorParts& parts)
    : parts_(parts),
      stages_(parse_stages(parts.options.stages, parts.options.arrivals)),
      mix_(parts.options, request_maker(parts)),
      client_(parts.loop, parts.address, connections(stages_, parts.options)),
      metrics_client_(parts.loop, parts.address, 1),
      health_request_(get_request(parts, "/health")),
      metrics_request_(get_request(parts, "/metrics")),
      passes_(stages_) {}

void Generator::start() {
  start_s_ = now_s();
  tally_.emplace(stages_, start_s_);
  tick();
  ask_at_boundaries();
  parts_.loop.at(start_s_ + stages_.total_s(), [this] { finish_if_over(); });
  if (stages_.are_rates) {
    arrivals_.emplace(stages_, parts_.options.arrivals == "poisson", parts_.options.seed);
    next_ = arrivals_->next();
    arrive();
    return;
  }
  for (std::size_t user = 0; user < static_cast<std::size_t>(stages_.most()); ++user) {
    send_user(user, 0);
  }
}

void Generator::stop() {
  stopped_s_ = stopped_s_.value_or(now_s());
  finish_if_over();
}

/// Starts all requests that are due, and waits for the next.
void Generator::arrive() {
  while (next_ && !stopped_s_ && start_s_ + next_->at_s <= now_s()) {
    begin({.stage = next_->stage, .due_s = start_s_ + next_->at_s, .then = {}});
    next_ = arrivals_->next();
  }
  if (next_ && !stopped_s_) {
    parts_.loop.at(start_s_ + next_->at_s, [this] { arrive(); });
  } else {
    finish_if_over();
  }
}

/// Lets a user send his next request at `from_s` since the start, or as soon as he is active.
void Generator::send_user(std::size_t user, double from_s) {
  const auto active_s = next_active_s(stages_, user, from_s);
  if (!active_s || stopped_s_ || is_done_) {
    return;
  }
  if (*active_s > from_s) {
    parts_.loop.at(start_s_ + *active_s, [this, user] { begin_of_user(user); });
  } else {
    begin_of_user(user);
  }
}

void Generator::begin_of_user(std::size_t user) {
  const double due_s = now_s();
  if (stopped_s_ || due_s >= start_s_ + stages_.total_s()) {
    return;
  }
  begin({.stage = stages_.at(due_s - start_s_),
         .due_s = due_s,
         .then = [this, user](const http::Answer& answer) {
           const double ended_s = now_s() - start_s_;
           if (answer.failure != http::Failure::connection) {
             return send_user(user, ended_s);
           }
           parts_.loop.at(start_s_ + ended_s + pause_of_user_s,
                          [this, user] { send_user(user, now_s() - start_s_); });
         }});
}

void Generator::begin(Round round) {
  tally_->begin(round.stage, now_s() - round.due_s);
  if (!parts_.options.health) {
    return predict(std::move(round));
  }
  const double deadline_s = round.due_s + parts_.options.timeout.value;
  client_.send(health_request_, deadline_s,
               [this, round = std::move(round)](const http::Answer& answer) mutable {
                 tally_->end_health(round.stage, answer.answered_s - round.due_s, answer);
                 note_failure("GET /health", answer);
                 // Waiting for a connection was not the time of GET /health, but of the round.
                 round.health_s = answer.sent_s > 0 ? answer.answered_s - answer.sent_s : 0;
                 predict(std::move(round));
               });
}

void Generator::predict(Round round) {
  const auto request = mix_.next();
  const double due_s = round.due_s + round.health_s;
  client_.send(
      request.bytes, due_s + parts_.options.timeout.value,
      [this, due_s, texts = request.texts, round = std::move(round)](const http::Answer& answer) {
        tally_->end({.stage = round.stage,
                     .latency_s = std::max(0.0, answer.answered_s - due_s),
                     .texts = texts},
                    answer);
        note_failure("POST /predict", answer);
        if (round.then) {
          round.then(answer);
        }
        finish_if_over();
      });
}

void Generator::note_failure(const char* request, const http::Answer& answer) {
  constexpr std::size_t shown = 200;
  if (!first_failure_.empty() || answer.is_ok()) {
    return;
  }
  first_failure_ =
      answer.failure == http::Failure::none
          ? fmt::format("{}: status {}: {}", request, answer.status,
                        printable(trim(std::string_view(answer.body).substr(0, shown))))
          : fmt::format("{}: {}", request, answer.reason);
}

void Generator::tick() {
  const double now = now_s();
  if (ticks_ > 0) {
    emit_second(std::nullopt);  // the one before, if its metrics did not come
    second_ = tally_->take_second(now);
  }
  close_stages(now);
  ask_metrics(static_cast<double>(ticks_) * tick_s,
              [this](const auto& metrics) { emit_second(metrics); });
  ++ticks_;
  parts_.loop.at(start_s_ + static_cast<double>(ticks_) * tick_s, [this] {
    if (!is_done_) {
      tick();
    }
  });
  finish_if_over();
}

/// So that the forward passes of each stage are known. A tick asks where it falls on a boundary.
void Generator::ask_at_boundaries() {
  for (std::size_t stage = 1; stage < stages_.list.size(); ++stage) {
    const double boundary_s = stages_.start_s(stage);
    if (std::fmod(boundary_s, tick_s) == 0) {
      continue;
    }
    parts_.loop.at(start_s_ + boundary_s, [this, boundary_s] {
      if (!is_done_ && !stopped_s_) {
        ask_metrics(boundary_s, [](const auto&) {});
      }
    });
  }
}

/// Calls `then` with what GET /metrics tells, or without it, within a second. `asked_s`: now, since
/// the start of the load; exactly the boundary of two stages if this is one.
void Generator::ask_metrics(double asked_s,
                            std::function<void(const std::optional<ServiceMetrics>&)> then) {
  metrics_client_.send(metrics_request_, now_s() + tick_s,
                       [this, asked_s, then = std::move(then)](const http::Answer& answer) {
                         if (!answer.is_ok()) {
                           return then(std::nullopt);
                         }
                         const auto metrics = parse_service_metrics(answer.body);
                         passes_.take(asked_s, metrics);
                         then(metrics);
                       });
}

void Generator::emit_second(const std::optional<ServiceMetrics>& metrics) {
  if (second_) {
    if (metrics && metrics_) {
      set_metrics(*metrics_, *metrics, *second_);
    }
    parts_.sink.take(*std::exchange(second_, std::nullopt));
  }
  if (metrics) {
    metrics_ = metrics;
  }
}

void Generator::close_stages(double now) {
  while (closed_stages_ < stages_.list.size()) {
    const bool has_ended = is_done_ || now >= start_s_ + stages_.start_s(closed_stages_ + 1);
    const bool is_behind = !is_done_ && next_ && next_->stage <= closed_stages_;
    if (!has_ended || is_behind || tally_->in_flight(closed_stages_) > 0) {
      return;
    }
    const auto row = tally_->stage_row(closed_stages_, stopped_s_.value_or(now));
    if (row.duration_s > 0) {
      parts_.sink.take(row, tally_->latency_rows(closed_stages_));
    }
    ++closed_stages_;
  }
}

void Generator::finish_if_over() {
  const double now = now_s();
  const bool starts_more = !stopped_s_ && (next_ || now < start_s_ + stages_.total_s());
  if (is_done_ || starts_more || tally_->in_flight() > 0) {
    return;
  }
  is_done_ = true;
  finish();
}

/// The last rows. No request is in flight any more, so that what the service tells now is all.
void Generator::finish() {
  const double now = now_s();
  emit_second(std::nullopt);
  second_ = tally_->take_second(now);
  close_stages(now);
  ask_metrics(now - start_s_, [this](const auto& metrics) {
    emit_second(metrics);
    parts_.sink.take(passes_.rows());
    parts_.done();
  });
}

}  // namespace epochcast::load
