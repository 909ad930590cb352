// A request between its receipt and its answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "src/http/message.hpp"

namespace epochcast::http {

/// Calls `deliver` with the first answer; with a failure, if there will be none.
class PendingAnswer {
 public:
  explicit PendingAnswer(std::function<void(Response)> deliver) : deliver_(std::move(deliver)) {}
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;
  ~PendingAnswer() { answer(error_response(500, "the request was not answered")); }

  void answer(Response response) {
    if (!answered_.exchange(true)) {
      deliver_(std::move(response));
    }
  }

 private:
  std::function<void(Response)> deliver_;
  std::atomic<bool> answered_{false};
};

/// Counts a request as unanswered while it lives.
class Unanswered {
 public:
  explicit Unanswered(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  Unanswered(const Unanswered&) = delete;
  Unanswered& operator=(const Unanswered&) = delete;
  ~Unanswered() { --count_; }

 private:
  std::atomic<std::size_t>& count_;
};

}  // namespace epochcast::http
