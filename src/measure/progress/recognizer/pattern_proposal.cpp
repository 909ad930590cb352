#include "src/measure/progress/recognizer/pattern_proposal.hpp"

#include <cmath>

#include "src/base/core/lists.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

/// The times of a pattern's rows: of epochs, or of steps where there are no epochs.
struct Times {
  std::vector<double> each_s;
  bool of_epochs = false;
  double sum_s = 0;
  bool disagree = false;
  double median_s() const { return each_s.empty() ? 0 : summarize(each_s)->median; }
};

Times times_by(const std::string& pattern, const std::vector<SampleLine>& lines,
               RecognizerOptions options, TimesFrom from) {
  options.format = "auto";
  options.pattern = pattern;
  options.meaning.times_from = from;
  Recognizer recognizer(options);
  for (const auto& line : lines) {
    recognizer.read(Stream::out, line.text + "\n", line.at_s);
  }
  recognizer.finish(lines.back().at_s);
  Times found{.disagree = !recognizer.note().empty()};
  const auto rows = recognizer.take();
  for (const auto& epoch : rows.epochs) {
    found.sum_s += epoch.wall_s + epoch.evaluate_s;
    found.each_s.push_back(epoch.wall_s + epoch.evaluate_s);
  }
  found.of_epochs = rows.epochs.size() > 1 || rows.iterations.empty();
  if (!found.of_epochs) {  // or of one, whose steps are all there is
    found.each_s.clear();
    for (const auto& step : rows.iterations) {
      found.each_s.push_back(step.step_s);
    }
  }
  std::erase_if(found.each_s, [](double time_s) { return !(time_s > 0); });
  return found;
}

double span_s(const std::vector<SampleLine>& lines, const RecognizerOptions& options) {
  if (options.meaning.times_from == TimesFrom::arrival) {
    return lines.back().at_s - lines.front().at_s;
  }
  StampClock clock(options.meaning.dates);
  double last_s = 0;
  for (const auto& line : lines) {
    last_s = clock.time_s(take_stamp(line.text)).value_or(last_s);
  }
  return last_s;
}

/// Whether its rows are there with times (of stamps or that the lines state; of arrival), none of
/// the lines disagree, all times together are no longer than the lines took, and the durations that
/// the lines state are those that passed. `options` are those of the recognizer that read the
/// lines.
bool leads_to_rows(const std::string& pattern, const std::vector<SampleLine>& lines,
                   RecognizerOptions options) {
  if (lines.empty()) {
    return false;
  }
  const auto clock = options.meaning.times_from;
  const auto found = times_by(pattern, lines, options, clock);
  const auto stated = times_by(pattern, lines, options, TimesFrom::nothing);
  if (found.disagree || found.each_s.size() < (clock == TimesFrom::arrival ? 1 : 2)) {
    return false;
  }
  constexpr double resolution_s = 2;
  const bool fits = clock == TimesFrom::nothing || clock == TimesFrom::arrival ||
                    found.sum_s <= 1.05 * span_s(lines, options) + resolution_s;
  const bool agrees =
      clock == TimesFrom::nothing || stated.each_s.empty() || stated.of_epochs != found.of_epochs ||
      std::abs(stated.median_s() - found.median_s()) <= 0.3 * found.median_s() + resolution_s;
  return fits && agrees;
}

}  // namespace

void PatternProposal::read(std::string_view bytes, double at_s, const Plain& plain) {
  constexpr double first_bytes = 262'144;
  constexpr double bytes_per_s = 4096;
  if (static_cast<double>(looked_at_) >= first_bytes + bytes_per_s * at_s) {
    return;
  }
  looked_at_ += bytes.size();
  splitter_.read(bytes, at_s, [&](const Line& line) {
    const auto text = plain(line.text);
    const std::string_view words = text ? *text : line.text;
    if (static_cast<double>(looked_at_) <= first_bytes) {
      sample_.push_back({line.at_s, std::string(line.text)});
    }
    shapes_.read(words.substr(take_stamp(words).size));
  });
}

std::string PatternProposal::text(const RecognizerOptions& options) const {
  for (const auto& [pattern, values, of_epochs] : shapes_.proposals()) {
    // A step that a pattern reads has ended, and is one of the training.
    static const RegularExpression begins(R"((?i)(?<![a-z])(?:start|begin|enter))");
    const auto step = pattern.find("(?<step>");
    const auto words = pattern.substr(0, step == std::string::npos ? 0 : step);
    if (of_evaluation(words) || begins.find(words) || !leads_to_rows(pattern, sample_, options)) {
      continue;
    }
    const bool says_so = of_epochs || pattern.find("(?<epoch>") != std::string::npos;
    const bool total = pattern.find("(?<steps>") != std::string::npos;
    return shell_quote(pattern) + ", which reads " + values +
           (says_so ? ""
            : total ? " (if these are epochs, write (?<epoch> and (?<epochs> there)"
                    : " (if these are epochs, write (?<epoch> there)");
  }
  return "'REGEX' with a group (?<epoch>...) for the number of an epoch, and (?<seconds>...) for "
         "its duration if the line states it";
}

}  // namespace epochcast::progress
