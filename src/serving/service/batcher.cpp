#include "src/serving/service/batcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/signals.hpp"

namespace epochcast::serve {
namespace {

constexpr double weight_of_newest = 0.1;  // in the moving average

double now_s() {
  return SteadyClock().now_s();
}

constexpr std::int64_t always_similar = 8;  // tokens, whose padding costs less than another batch

bool similar(std::int64_t a, std::int64_t b) {
  const auto [shorter, longer] = std::minmax(a, b);
  return longer <= 2 * shorter + always_similar;
}

}  // namespace

Batcher::Batcher(Predictor& predictor, const BatchOptions& options, std::function<void()> warm_up,
                 Measured measured)
    : predictor_(predictor),
      options_(options),
      warm_up_(std::move(warm_up)),
      measured_(std::move(measured)) {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Batcher::~Batcher() {
  stop();
}

Batcher::Admission Batcher::submit(std::vector<std::unique_ptr<Input>> inputs, Done done,
                                   Abandoned abandoned) {
  const auto work = std::make_shared<Work>();
  work->unanswered = inputs.size();
  work->scores.resize(inputs.size());
  work->inputs = std::move(inputs);
  work->done = std::move(done);
  work->abandoned = std::move(abandoned);
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return Admission::stopped;
    }
    if (queue_.size() + work->inputs.size() > options_.queue) {
      return Admission::full;
    }
    const double since_s = now_s();
    for (std::size_t i = 0; i < work->inputs.size(); ++i) {
      queue_.push_back({work, i, since_s});
    }
  }
  wake_.notify_one();
  return Admission::accepted;
}

std::size_t Batcher::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

std::size_t Batcher::abandoned() const {
  const std::lock_guard lock(mutex_);
  return abandoned_;
}

double Batcher::backlog_s() const {
  const std::lock_guard lock(mutex_);
  return static_cast<double>(queue_.size()) * input_s_;
}

Batcher::Health Batcher::health() const {
  const std::lock_guard lock(mutex_);
  return !failure_.empty() ? Health::failing : warm_ ? Health::ready : Health::warming;
}

std::string Batcher::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Batcher::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
  for (auto& each : std::exchange(queue_, {})) {
    finish(*each.work, {.failure = "the service was stopped", .stopped = true});
  }
}

void Batcher::run() {
  warm_up();
  for (std::vector<Waiting> batch; take_batch(batch);) {
    if (!batch.empty()) {
      answer(batch);
    }
    batch.clear();  // a large input does not stay until the next batch
  }
}

void Batcher::warm_up() {
  try {
    warm_up_();
    const std::lock_guard lock(mutex_);
    warm_ = true;
  } catch (const std::exception& error) {
    set_failure(error.what());
  }
}

/// False when the service ends. The batch may be empty: all inputs were abandoned.
bool Batcher::take_batch(std::vector<Waiting>& batch) {
  if (!wait_for_inputs()) {
    return false;
  }
  drop_abandoned();
  const std::lock_guard lock(mutex_);
  choose(batch);
  return true;
}

/// Returns when a batch is full or its first input has waited long enough; false: the service ends.
bool Batcher::wait_for_inputs() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
  if (!stopping_) {
    const double left_s = queue_.front().since_s + options_.wait_s - now_s();
    wake_.wait_for(lock, std::chrono::duration<double>(left_s),
                   [&] { return stopping_ || queue_.size() >= options_.batch; });
  }
  return !stopping_;
}

/// Requests whose client has gone leave the queue, without the lock: they are answered.
void Batcher::drop_abandoned() {
  std::vector<std::shared_ptr<Work>> dropped;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ += std::erase_if(queue_, [&](const Waiting& waiting) {
      if (waiting.work->is_abandoned()) {
        dropped.push_back(waiting.work);
        return true;
      }
      return false;
    });
  }
  for (const auto& work : dropped) {
    finish(*work, {.failure = "its client has gone", .abandoned = true});
  }
}

/// The inputs that are computed next leave the queue.
void Batcher::choose(std::vector<Waiting>& batch) {
  if (queue_.empty()) {
    return;
  }
  std::vector<std::int64_t> lengths;
  lengths.reserve(queue_.size());
  for (const auto& each : queue_) {
    lengths.push_back(each.work->inputs[each.index]->length());
  }
  const auto chosen = choose_batch(lengths, options_.batch);
  std::deque<Waiting> rest;
  for (std::size_t i = 0, next = 0; i < queue_.size(); ++i) {
    if (next < chosen.size() && chosen[next] == i) {
      batch.push_back(std::move(queue_[i]));
      ++next;
    } else {
      rest.push_back(std::move(queue_[i]));
    }
  }
  queue_ = std::move(rest);
}

void Batcher::answer(const std::vector<Waiting>& batch) {
  std::vector<const Input*> inputs;
  for (const auto& each : batch) {
    inputs.push_back(each.work->inputs[each.index].get());
  }
  std::vector<Scores> scores;
  try {
    scores = predict(inputs);
    set_failure("");
  } catch (const std::exception& error) {
    set_failure(error.what());
    forget_rest(batch);
    for (const auto& each : batch) {
      finish(*each.work, {.failure = error.what()});
    }
    return;
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Work& work = *batch[i].work;
    work.scores[batch[i].index] = std::move(scores[i]);
    if (--work.unanswered == 0) {
      finish(work, {.scores = std::move(work.scores)});
    }
  }
}

/// The requests of `batch` have failed: their inputs in the queue need no answer.
void Batcher::forget_rest(const std::vector<Waiting>& batch) {
  const std::lock_guard lock(mutex_);
  std::erase_if(queue_, [&](const Waiting& waiting) {
    return std::ranges::find(batch, waiting.work, &Waiting::work) != batch.end();
  });
}

/// In halves, if there is not enough memory for the whole.
std::vector<Scores> Batcher::predict(std::span<const Input* const> inputs) {
  try {
    return predict_once(inputs);
  } catch (const OutOfMemory&) {
    if (inputs.size() == 1) {
      throw;
    }
  }
  auto scores = predict(inputs.first(inputs.size() / 2));
  for (auto& each : predict(inputs.subspan(inputs.size() / 2))) {
    scores.push_back(std::move(each));
  }
  return scores;
}

std::vector<Scores> Batcher::predict_once(std::span<const Input* const> inputs) {
  const double start_s = now_s();
  auto scores = predictor_.predict(inputs);
  const double seconds = now_s() - start_s;
  if (scores.size() != inputs.size()) {
    throw RunError(
        fmt::format("the model gave {} answers to {} inputs", scores.size(), inputs.size()));
  }
  measured_(inputs.size(), seconds);
  const double input_s = seconds / static_cast<double>(inputs.size());
  const std::lock_guard lock(mutex_);
  input_s_ = input_s_ == 0 ? input_s : input_s_ + weight_of_newest * (input_s - input_s_);
  return scores;
}

void Batcher::set_failure(const std::string& failure) {
  const std::lock_guard lock(mutex_);
  failure_ = failure;
}

void Batcher::finish(Work& work, Outcome outcome) {
  if (work.done) {
    std::exchange(work.done, nullptr)(std::move(outcome));
  }
}

std::vector<std::size_t> choose_batch(std::span<const std::int64_t> lengths, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (similar(lengths[0], lengths[i])) {
      chosen.push_back(i);
    }
  }
  if (chosen.size() > most) {
    std::ranges::stable_sort(chosen.begin() + 1, chosen.end(), {},
                             [&](std::size_t i) { return std::abs(lengths[i] - lengths[0]); });
    chosen.resize(most);
    std::ranges::sort(chosen);
  }
  return chosen;
}

}  // namespace epochcast::serve
