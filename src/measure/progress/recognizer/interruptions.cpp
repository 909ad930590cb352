#include "src/measure/progress/recognizer/interruptions.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/base/core/regular_expression.hpp"
#include "src/measure/progress/reading/statement.hpp"

namespace epochcast::progress {
namespace {

/// Whether the line names an epoch or a step with a number, or an evaluation.
bool names_progress(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?:epoch|step|iter|batch|round)[a-z]*(?:\([a-z]+\))?[ :=#\t'"\[(]*\d|(?<![a-z])(?:val|test|eval|acc))");
  static const RegularExpression again(
      R"((?i)(?<![a-z])(?:continu|resum|restor|restart|load|reading))");
  const auto begin = text.substr(0, 200);
  return form.find(begin) && !again.find(begin);
}

/// Several lines may speak of one restart: "Auto resumed from epoch_2.pth", "Load checkpoint",
/// "resumed epoch: 2". The first with a number that does not is about what follows.
bool numbers_an_epoch(std::string_view text) {
  const auto epoch = text.find("poch");
  return epoch != std::string_view::npos &&
         text.find_first_of("0123456789", epoch) != std::string_view::npos;
}

}  // namespace

Interruptions::Interruptions(bool stamped, const std::vector<double>& attempts_at_s)
    : of_log_(true),
      stamped_(stamped),
      attempts_at_s_(attempts_at_s.rbegin(), attempts_at_s.rend()) {}

void Interruptions::note_output(double at_s) {
  const double silence_s = at_s - last_output_s_;
  if (silence_s > longest_silence_.silence_s) {
    longest_silence_ = {.at_s = at_s, .silence_s = silence_s};
  }
  last_output_s_ = at_s;
}

std::optional<Restart> Interruptions::read(const Line& line) {
  auto statement = statement_of(line.text);
  if (stamped_) {
    preamble_.read(line);
    if (names_progress(line.text)) {
      preamble_.note_progress(line);
    }
  }
  if (of_log_ && line.since_s == line.at_s) {
    keep_silence(line);
    note_output(line.at_s);
    if (begins_attempt(line.at_s)) {
      statement = Statement::new_attempt;
      longest_silence_.silence_s = std::max(longest_silence_.silence_s, 1.0);
      longest_silence_.at_s = line.at_s;
    }
  }
  if (statement == Statement::ended) {
    ended_ = stamped_;
    return std::nullopt;
  }
  if (statement == Statement::none) {
    if (numbers_an_epoch(line.text)) {
      longest_silence_ = {};
    }
    return std::nullopt;
  }
  longest_silence_.what = statement;
  if (longest_silence_.silence_s <= 0 || statement == Statement::new_phase) {
    longest_silence_.at_s = line.since_s;
  }
  return longest_silence_;
}

void Interruptions::keep_silence(const Line& line) {
  constexpr std::size_t most = 64;
  constexpr double least_s = 30;
  if (!(line.at_s - last_output_s_ >= least_s)) {
    return;
  }
  silences_.push_back({last_output_s_, line.at_s, names_progress(line.text)});
  if (silences_.size() > most) {
    silences_.erase(std::ranges::min_element(
        silences_, {}, [](const auto& silence) { return silence.until_s - silence.from_s; }));
  }
}

void Interruptions::note_progress(const Line& line) {
  preamble_.note_progress(line);
  if (!silences_.empty() && silences_.back().until_s == line.at_s) {
    silences_.back().ends_with_progress = true;
  }
}

/// Whether a line with this stamp is the first of an attempt.
bool Interruptions::begins_attempt(double at_s) {
  bool begins = std::exchange(ended_, false);
  for (; !attempts_at_s_.empty() && attempts_at_s_.back() <= at_s; attempts_at_s_.pop_back()) {
    longest_silence_.silence_s = std::numeric_limits<double>::infinity();
    begins = true;
  }
  return begins;
}

}  // namespace epochcast::progress
