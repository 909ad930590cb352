// The events of MLPerf's trainings: ":::MLLOG {...}" anywhere in a line.
#include "src/core/text.hpp"
#include "src/progress/format.hpp"
#include "src/progress/mllog_events.hpp"
#include "src/progress/words.hpp"

namespace epochcast::progress::formats {
namespace {

class Reader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override {
    const auto found = mllog::read_events("", line.text);
    return found.events.empty() ? std::nullopt : of_event(found.events.front());
  }

 private:
  std::optional<Reading> of_event(const mllog::Event& event) {
    Reading reading;
    reading.evidence = 0.5;
    first_ms_ = first_ms_.value_or(event.time_ms);
    reading.clock_s = static_cast<double>(event.time_ms - *first_ms_) / 1000;
    if (event.key == "epoch_start" || event.key == "epoch_stop") {
      reading.begins_epoch = event.key == "epoch_start";
      reading.ends_epoch = !reading.begins_epoch;
      reading.epoch = epoch_of(event);
    } else if (event.key == "eval_start" || event.key == "eval_stop") {
      reading.phase = Phase::evaluate;
      reading.steps = 1;
      reading.step = event.key == "eval_stop" ? 1 : 0;
    } else if (event.key == "eval_accuracy" || event.key == "eval_error") {
      const auto value = parse_double(event.value);
      if (!value) {
        return std::nullopt;
      }
      reading.phase = Phase::evaluate;
      reading.metrics = {{.name = event.key, .value = *value}};
    } else {
      return std::nullopt;
    }
    return reading;
  }

  std::optional<std::int64_t> epoch_of(const mllog::Event& event) {
    if (!event.epoch || !(*event.epoch >= 0) || *event.epoch > 1e9) {
      return std::nullopt;
    }
    return epochs_.from_zero(std::int64_t(*event.epoch), false);
  }

  EpochCount epochs_;
  std::optional<std::int64_t> first_ms_;
};

}  // namespace

FormatSpec mllog() {
  return {.summary = "MLPerf's events: ':::MLLOG {...}'",
          .hints = {":::MLLOG"},
          .general = false,
          .open = [](const auto&) { return std::make_unique<Reader>(); }};
}

}  // namespace epochcast::progress::formats
