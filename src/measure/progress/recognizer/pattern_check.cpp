#include "src/measure/progress/recognizer/pattern_check.hpp"

#include <algorithm>
#include <cmath>

#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"

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

}  // namespace

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

}  // namespace epochcast::progress
