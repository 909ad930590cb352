#include "src/measure/progress/recognizer/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

bool contradicts(const Reading& reading, const Reading& before) {
  const bool beyond = reading.step && reading.steps && *reading.step > *reading.steps;
  const bool back = reading.epoch && before.epoch && *reading.epoch < *before.epoch;
  const bool other_run = reading.epochs && before.epochs && reading.epochs != before.epochs;
  const bool again = (reading.begins_epoch && reading.epoch == 0) ||  // a second fit()
                     reading.restart.what != Statement::none;
  return beyond || (!again && (back || other_run));
}

bool same_place(const Reading& reading, const Reading& before) {
  return reading.epoch == before.epoch && reading.step == before.step &&
         reading.part == before.part && reading.phase == before.phase &&
         reading.ends_epoch == before.ends_epoch;
}

}  // namespace

void Evidence::weigh(const Reading& reading) {
  if (last_ && contradicts(reading, *last_)) {
    sum_ = 0;
  } else if (!last_ || !same_place(reading, *last_)) {
    sum_ += std::max(0.0, reading.evidence);
  }
  if (reading.phase == Phase::train) {
    last_ = reading;
  }
}

Candidate::Candidate(std::string name, const FormatSpec& spec, const FormatOptions& options)
    : name_(std::move(name)), spec_(&spec), parser_(spec.open(options)) {}

void Candidate::hear(const Restart& restart) {
  if (!parser_->hear(restart)) {
    heard_ = restart;
  }
}

bool Candidate::read(const Line& line) {
  if (!conflict_.empty()) {
    return false;
  }
  timed_ = line.timed;
  heard_.last_line_s = std::exchange(last_line_s_, line.at_s);
  if (line.begins_training && line.timed) {
    rows_.training_begins(line.at_s);
  }
  Readings found;
  parser_->read(line, found);
  const bool of_line = !found.empty() && found.back().at_s == line.at_s;
  // Before a reading of the training, such a line means nothing.
  const bool matters = line.evaluation != InEvaluation::no || evidence_.last();
  if (matters && found.empty() && line.timed && !parser_->waits()) {
    found.push_back(reading_of_other(line));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    apply(std::move(found[i]), of_line && i + 1 == found.size() ? line.text : "");
  }
  return of_line;
}

void Candidate::finish() {
  ended_ = true;
  if (conflict_.empty()) {
    Readings found;
    parser_->finish(found);
    for (auto& waited : found) {
      apply(std::move(waited), "");
    }
    for (auto& known : recount_.finish()) {
      apply_known(std::move(known), "");
    }
  }
}

void Candidate::apply(TimedReading found, std::string_view text) {
  auto& reading = found.reading;
  if (reading.phase == Phase::train && reading.epoch && heard_.what != Statement::none) {
    reading.restart = std::exchange(heard_, {});
  }
  for (auto& known : recount_.add(std::move(found))) {
    apply_known(std::move(known), text);
  }
}

void Candidate::apply_known(TimedReading known, std::string_view text) {
  auto& [reading, at_s, since_s] = known;
  if (!conflict_.empty()) {
    return;
  }
  if (reading.begins_epoch) {
    at_s = since_s.value_or(at_s);  // a heading stands where the lines before it end
  }
  evidence_.weigh(reading);
  conflict_ = reading.conflict;
  if (conflict_.empty()) {
    rows_.read(reading, timed_ ? std::optional(at_s) : std::nullopt, since_s);
    if (!rows_.conflict().empty()) {
      conflict_ =
          fmt::format("{}: '{}' and '{}'", rows_.conflict(), excerpt(last_text_), excerpt(text));
    }
  }
  if (!conflict_.empty()) {
    rows_.forget_total();
  } else if (reading.phase == Phase::train && !text.empty()) {
    last_text_ = text.substr(0, 200);
  }
}

bool Candidate::confirmed() const {
  const auto& last = evidence_.last();
  return evidence() >= 0.99 && last &&
         (!spec_->general || rows_.position().epochs_done > 0 || last->of_run ||
          (ended_ && last->epochs && rows_.is_whole()));
}

}  // namespace epochcast::progress
