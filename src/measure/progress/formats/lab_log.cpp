// The lines of the lab's own program: "Epoch: 1", "Processing batch: 1-0", "loss_D 0.6, loss_G 1.3,
// 27.3 examples/sec on cpu (40597.0 examples in 1486.7 seconds during this epoch)", and at the end
// "Num epochs: 20".
#include <cmath>

#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/reading/lab_log_line.hpp"

namespace epochcast::progress::formats {
namespace lab_log_format {

class LabLogParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    const auto parsed = lab_log::parse(line.text, true);
    return parsed
               ? std::visit([this](const auto& of_kind) { return lab_reading(of_kind); }, *parsed)
               : std::nullopt;
  }

 private:
  std::optional<Reading> lab_reading(const lab_log::EpochLine& line) {
    if (line.epoch < 1) {
      return std::nullopt;
    }
    begin(line.epoch);
    return Reading{.epoch = epoch_, .begins_epoch = true};
  }
  std::optional<Reading> lab_reading(const lab_log::BatchLine& line) {
    const bool begins = line.epoch >= 1 && line.epoch - 1 != epoch_;  // its own line is missing
    const bool follows = begins && epoch_;
    if (begins) {
      begin(line.epoch);
    }
    steps_ = line.index;
    return follows ? std::optional(Reading{.epoch = epoch_, .begins_epoch = true}) : std::nullopt;
  }
  std::optional<Reading> lab_reading(const lab_log::Progress& line) {
    if (!epoch_ || !(line.examples >= examples_) || line.examples > 1e15 || steps_ < 0) {
      return std::nullopt;
    }
    Reading reading{.epoch = epoch_, .step = ++steps_, .elapsed_s = line.seconds};
    reading.samples = std::llround(line.examples - examples_);
    examples_ = line.examples;
    reading.running = true;
    reading.metrics = {
        {"loss_d", line.loss_d}, {"loss_g", line.loss_g}, {"examples_per_s", line.examples_per_s}};
    reading.evidence = 0.5;
    return reading;
  }
  std::optional<Reading> lab_reading(const lab_log::MeanLine&) { return end(); }
  std::optional<Reading> lab_reading(const lab_log::TotalLine&) { return end(); }
  std::optional<Reading> lab_reading(const lab_log::CountLine& line) {
    auto reading = end();
    if (reading) {
      reading->epochs = line.epochs;
    }
    return reading;
  }
  template <class Other>
  std::optional<Reading> lab_reading(const Other&) {
    return std::nullopt;
  }

  void begin(std::int64_t epoch) {
    epoch_ = epoch - 1;
    steps_ = 0;
    examples_ = 0;
  }

  std::optional<Reading> end() const {
    Reading reading{.epoch = epoch_};
    reading.ends_epoch = reading.ends_run = true;
    return epoch_ ? std::optional(reading) : std::nullopt;
  }

  std::optional<std::int64_t> epoch_;
  std::int64_t steps_ = 0;  ///< Done of the epoch.
  double examples_ = 0;
};

}  // namespace lab_log_format

FormatSpec lab_log() {
  return {.summary = "the lab study's own program: loss_D 0.6, loss_G 1.3, 27.3 examples/sec ...",
          .hints = {"Epoch: ", "Processing batch: ", "/sec on ", "Num epochs: ", "Total training"},
          .open = [](const auto&) { return std::make_unique<lab_log_format::LabLogParser>(); }};
}

}  // namespace epochcast::progress::formats
