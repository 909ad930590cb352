#include "src/measure/progress/recognizer/candidates.hpp"

#include <algorithm>
#include <utility>

#include "src/base/core/registry.hpp"
#include "src/measure/progress/lines/plain_text.hpp"
#include "src/measure/progress/reading/statement.hpp"
#include "src/measure/progress/recognizer/evaluation_lines.hpp"

namespace epochcast::progress {
namespace {

std::vector<Candidate> candidates_of(const std::string& format, const std::string& pattern) {
  std::vector<Candidate> found;
  const FormatOptions options{.pattern = pattern};
  if (!pattern.empty()) {
    found.emplace_back("pattern", formats::all().at("pattern"), options);
  } else if (format == "auto") {
    for (const auto& [name, spec] : formats::all()) {
      if (!spec.hints.empty()) {
        found.emplace_back(name, spec, options);
      }
    }
  } else if (format != "none") {
    found.emplace_back(format, find_entry(formats::all(), "progress format", format), options);
  }
  return found;
}

}  // namespace

Candidates::Candidates(const std::string& format, const std::string& pattern)
    : all_(candidates_of(format, pattern)) {
  if (all_.size() == 1) {  // told: there are several otherwise
    choose(all_.front());
  }
}

std::vector<std::string> Candidates::hints() const {
  std::vector<std::string> hints;
  for (const auto& candidate : all_) {
    const auto& of_format = formats::all().at(candidate.name()).hints;
    hints.insert(hints.end(), of_format.begin(), of_format.end());
  }
  if (!hints.empty()) {
    for (const auto* more : {&statement_hints(), &foreign_hints(), &evaluation_hints()}) {
      hints.insert(hints.end(), more->begin(), more->end());
    }
  }
  return hints;
}

bool Candidates::wants_every_line() const {
  return chosen_ != nullptr ? chosen_->wants_every_line()
                            : std::ranges::any_of(all_, &Candidate::wants_every_line);
}

void Candidates::begin_anywhere() {
  std::ranges::for_each(all_, [](auto& candidate) { candidate.rows().begin_anywhere(); });
}

void Candidates::begin_within() {
  std::ranges::for_each(all_, [](auto& candidate) { candidate.rows().begin_within(); });
}

void Candidates::hear(const Restart& restart) {
  std::ranges::for_each(all_, [&](auto& candidate) { candidate.hear(restart); });
}

bool Candidates::read(const Line& line) {
  if (chosen_ != nullptr) {
    return chosen_->read(line);
  }
  bool progress = false;
  for (auto& candidate : all_) {
    progress = candidate.read(line) || progress;
  }
  choose(false);
  return progress;
}

void Candidates::finish() {
  if (chosen_ != nullptr) {
    chosen_->finish();
    return;
  }
  std::ranges::for_each(all_, &Candidate::finish);
  choose(true);
}

std::string Candidates::conflict() const {
  if (chosen_ != nullptr) {
    return chosen_->conflict();
  }
  const auto found = std::ranges::find_if(
      all_, [](const auto& candidate) { return !candidate.conflict().empty(); });
  return found == all_.end() ? "" : found->conflict();
}

void Candidates::choose(bool at_end) {
  Candidate* best = nullptr;
  bool several = false;
  bool special = false;
  for (auto& candidate : all_) {
    const double of_lines = candidate.general() ? 0 : candidate.evidence();
    special = special || of_lines + candidate.evidence_of_waiting() > 0.3;
  }
  for (auto& candidate : all_) {
    if (!candidate.confirmed() || (special && candidate.general())) {
      continue;
    }
    const auto rank = [&](Candidate& of) {
      const double times = of.rows().knows_times() ? 1 : 0;
      return at_end ? std::pair(of.evidence(), times) : std::pair(times, of.evidence());
    };
    several = best != nullptr && rank(candidate) == rank(*best);
    if (best == nullptr || rank(candidate) > rank(*best)) {
      best = &candidate;
    }
  }
  if (best != nullptr && !several) {
    choose(*best);
  }
}

void Candidates::choose(Candidate& candidate) {
  chosen_ = &candidate;
  chosen_->rows().keep_all();
}

}  // namespace epochcast::progress
