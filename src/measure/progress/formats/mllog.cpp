// The events of MLPerf's trainings: ":::MLLOG {...}" anywhere in a line. Each epoch has an event
// where it starts and one where it stops, so epochs are numbered in their order, whatever number
// the log gives them (the metric epoch_number). An epoch without a stop is none: it was lost. A
// start of one that is open already replaces it: what came before was lost, or was another rank's.
// One that starts before the one before it has stopped begins there.
#include <algorithm>
#include <map>
#include <utility>

#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/reading/mllog_events.hpp"

namespace epochcast::progress::formats {
namespace mllog_format {

class MllogParser final : public LineParser {
 public:
  void read(const Line& line, Readings& found) override {
    for (const auto& event : mllog::read_events("", line.text).events) {
      first_ms_ = first_ms_.value_or(event.time_ms);
      take(event,
           {{.clock_s = static_cast<double>(event.time_ms - *first_ms_) / 1000, .evidence = 0.5},
            line.at_s});
    }
    append(found, std::exchange(known_, {}));
  }

  bool hear(const Restart& /*restart*/) override { return true; }  // the events say it all

 private:
  using Number = std::optional<double>;

  void take(const mllog::Event& event, TimedReading found) {
    if (event.key == "epoch_start") {
      start(event.epoch, std::move(found));
    } else if (event.key == "epoch_stop") {
      stop(event.epoch, std::move(found));
    } else if (event.key == "eval_start" || event.key == "eval_stop") {
      found.reading.step = event.key == "eval_stop" ? 1 : 0;
      found.reading.steps = 1;
      evaluate(std::move(found));
    } else if (event.key == "eval_accuracy" || event.key == "eval_error") {
      if (const auto value = parse_double(event.value)) {
        found.reading.metrics = {{.name = event.key, .value = *value}};
        evaluate(std::move(found));
      }
    }
  }

  void start(Number number, TimedReading found) {
    found.reading.begins_epoch = true;
    if (!open_ || *open_ == number) {
      begin(number, std::move(found));
      return;
    }
    constexpr std::size_t most = 64;
    if (started_.size() >= most) {  // epochs that never stop
      started_.clear();
      evaluations_.clear();
    }
    started_[number] = std::move(found);
  }

  /// Of an epoch that is open, what was seen so far is dropped.
  void begin(Number number, TimedReading found) {
    found.reading.epoch = epochs_;
    found.reading.drops_open = open_.has_value();
    open_ = number;
    known_.push_back(std::move(found));
  }

  void stop(Number number, TimedReading found) {
    const auto started = started_.find(number);
    if (started != started_.end()) {  // so the one that is open will not stop any more
      begin(number, std::move(started->second));
      started_.erase(started);
    } else if (!open_ || *open_ != number) {
      return;  // of another rank
    }
    append(known_, std::exchange(evaluations_, {}));
    const auto ended = found;
    found.reading.epoch = epochs_++;
    found.reading.ends_epoch = true;
    if (number) {
      found.reading.metrics = {{.name = "epoch_number", .value = *number}};
    }
    known_.push_back(std::move(found));
    open_.reset();
    begin_next(ended);
  }

  /// The first that has started meanwhile.
  void begin_next(TimedReading at) {
    if (started_.empty()) {
      return;
    }
    const auto next = std::ranges::min_element(
        started_, {}, [](const auto& entry) { return entry.second.reading.clock_s; });
    at.reading.begins_epoch = true;
    begin(next->first, std::move(at));
    started_.erase(next);
  }

  /// While it is not known which of two epochs is the lost one, evaluations wait.
  void evaluate(TimedReading found) {
    constexpr std::size_t most = 8192;
    found.reading.phase = Phase::evaluate;
    auto& to = started_.empty() ? known_ : evaluations_;
    if (to.size() < most) {
      to.push_back(std::move(found));
    }
  }

  std::optional<std::int64_t> first_ms_;
  std::int64_t epochs_ = 0;                 ///< That have ended.
  std::optional<Number> open_;              ///< The number of the one that is open.
  std::map<Number, TimedReading> started_;  ///< Those that started while another one was open.
  std::vector<TimedReading> evaluations_;
  std::vector<TimedReading> known_;
};

}  // namespace mllog_format

FormatSpec mllog() {
  return {.summary = "MLPerf's events: ':::MLLOG {...}'",
          .hints = {":::MLLOG"},
          .states_clock = true,
          .open = [](const auto&) { return std::make_unique<mllog_format::MllogParser>(); }};
}

}  // namespace epochcast::progress::formats
