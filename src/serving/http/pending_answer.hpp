// A request between its receipt and its answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "src/serving/http/message.hpp"

namespace epochcast::http {

/// Counts itself in `count` while it lives.
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

}  // namespace epochcast::http
