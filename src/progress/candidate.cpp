#include "src/progress/candidate.hpp"

#include <algorithm>

namespace epochcast::progress {
namespace {

bool contradicts(const Reading& reading, const Reading& before) {
  const bool beyond = reading.step && reading.steps && *reading.step > *reading.steps;
  const bool back = reading.epoch && before.epoch && *reading.epoch < *before.epoch;
  const bool other_run = reading.epochs && before.epochs && reading.epochs != before.epochs;
  const bool again = reading.begins_epoch && reading.epoch == 0;  // a second fit()
  return beyond || (!again && (back || other_run));
}

bool same_place(const Reading& reading, const Reading& before) {
  return reading.epoch == before.epoch && reading.step == before.step &&
         reading.phase == before.phase && reading.ends_epoch == before.ends_epoch;
}

}  // namespace

Candidate::Candidate(std::string name, const FormatSpec& spec, const FormatOptions& options)
    : name_(std::move(name)), spec_(&spec), reader_(spec.open(options)) {}

void Candidate::read(const Line& line, std::optional<double> at_s) {
  if (const auto reading = reader_->read(line)) {
    if (reading->evidence < 0 && !rows_.keeps_all()) {
      evidence_ = 0;
      rows_ = {};
    }
    weigh(*reading);
    rows_.read(*reading, at_s);
  }
}

void Candidate::weigh(const Reading& reading) {
  if (last_ && contradicts(reading, *last_)) {
    evidence_ = 0;
  } else if (!last_ || !same_place(reading, *last_)) {
    evidence_ += std::max(0.0, reading.evidence);
  }
  if (reading.phase == Phase::train) {
    last_ = reading;
  }
}

bool Candidate::confirmed() const {
  return evidence_ >= 0.99 && (!spec_->general || rows_.position().epochs_done > 0);
}

}  // namespace epochcast::progress
