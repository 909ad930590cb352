#include "src/measure/progress/recognizer/stated_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/base/core/lists.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/duration.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/lines/line.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

/// Times that lines state of one thing, and a line that does.
struct Stated {
  std::vector<double> times_s;
  std::string_view line;

  void add(double time_s, std::string_view of) {
    if (time_s > 0) {
      times_s.push_back(time_s);
      line = of;
    }
  }
  double median_s() const { return summarize(times_s)->median; }
};

/// Of a step, as a rate or as a time of one.
std::optional<double> stated_step_s(std::string_view line) {
  static const RegularExpression form(
      R"((?i)(?<![\d,.'])(?<rate>\d+(?:\.\d+)?) ?(?:it|iter|iterations|steps?|batch(?:es)?)/s(?:ec|econd)?\b)"
      R"(|(?<![\d,.'])(?<time>\d+(?:\.\d+)? ?m?s) ?/ ?(?:it|iter|iteration|step|batch)\b)");
  const auto match = form.find(line);
  const auto rate = match ? parse_double(match->text("rate")) : std::nullopt;
  return rate && *rate > 0 ? std::optional(1 / *rate)
         : match           ? seconds_in(*match, "time")
                           : std::nullopt;
}

std::optional<double> stated_left_s(std::string_view line) {
  static const RegularExpression form(
      R"((?i)\b(?:eta|time (?:left|remaining)|remaining(?: time)?)\b[ :=~(]{1,3}(?<time>\d.*))");
  const auto match = form.find(line);
  return match ? seconds_in(*match, "time") : std::nullopt;
}

}  // namespace

std::string total_contradicts(std::string_view text, const Rows& rows, NumberFormat numbers) {
  constexpr double clearly = 1.1;
  constexpr double resolution_s = 1;
  static const RegularExpression form(
      R"((?i)^\W*(?:total (?:training |train |elapsed |run ?|wall |execution )?time|total duration)"
      R"(|(?:the )?(?:whole |entire )?training (?:has )?(?:finished|completed?|done|took|ended)(?: in| after|\W*total time)?)"
      R"(|(?:finished|completed) training (?:in|after))(?: \(?(?:s|sec|seconds)\)?)?[ :=]{1,4}(?<time>\d.*))");
  double total_s = 0;
  std::string_view last;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (line.size() > 160 || !form.find(line)) {
      continue;
    }
    const auto plain = plain_numbers(line, numbers);
    const auto match = form.find(plain ? *plain : line);
    auto time = match ? match->text("time") : "";
    const auto stated = take_duration(time);
    const bool goes_on =
        time.size() > 1 && time[0] == ',' && is_digit(time[1]);  // "1,234", undecided
    if (stated && !goes_on) {
      total_s += stated->seconds;
      last = line;
    }
  }
  const double sum_s = summed(rows.epochs, [](const auto& row) { return row.wall_s; });
  const double rounding_s = resolution_s * static_cast<double>(1 + rows.epochs.size());
  return total_s <= 0 || sum_s <= clearly * total_s + rounding_s
             ? ""
             : fmt::format(
                   "the times of the epochs add up to {:.0f} s, and the log states {:.0f} s for "
                   "all: '{}'",
                   sum_s, total_s, excerpt(last));
}

std::string rate_contradicts(std::string_view text, const Rows& rows,
                             std::optional<std::int64_t> epochs) {
  constexpr double far = 10;
  constexpr std::size_t some = 3;
  static const Hints hints({"/s", "s/", "s /", "eta", "ETA", "Eta", "left", "emaining"});
  Stated of_step, left;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (line.size() <= longest_line && hints.find(line, 0) != std::string_view::npos &&
        !of_evaluation(line)) {
      of_step.add(stated_step_s(line).value_or(0), line);
      left.add(stated_left_s(line).value_or(0), line);
    }
  }
  std::vector<double> epochs_s, steps_s;
  for (const auto& row : rows.epochs) {
    if (row.wall_s > 0) {
      epochs_s.push_back(row.wall_s + row.evaluate_s);
      steps_s.push_back(row.iterations > 0 ? row.wall_s / double(row.iterations) : 0);
    }
  }
  std::erase(steps_s, 0);
  if (steps_s.size() >= some && of_step.times_s.size() >= some) {
    const double step_s = summarize(steps_s)->median, stated_s = of_step.median_s();
    if (stated_s > far * step_s || step_s > far * stated_s) {
      return fmt::format(
          "a step took {:.3g} s by the epochs, and {:.3g} s by what the log states: '{}'", step_s,
          stated_s, excerpt(of_step.line));
    }
  }
  if (epochs_s.size() >= some && left.times_s.size() >= some) {
    const double epoch_s = summarize(epochs_s)->median;
    const auto all = std::max<std::int64_t>(epochs.value_or(0), std::ssize(rows.epochs));
    if (left.median_s() > far * epoch_s * double(all)) {
      return fmt::format(
          "{} epochs take {:.3g} s each, and the log states that more time is left: '{}'", all,
          epoch_s, excerpt(left.line));
    }
  }
  return "";
}

std::string span_contradicts(const Rows& rows) {
  constexpr std::size_t some = 3;
  std::vector<double> epochs_s, between_s;
  const record::Epoch* last = nullptr;
  for (const auto& row : rows.epochs) {
    const bool follows = last != nullptr && last->epoch + 1 == row.epoch && last->wall_s > 0;
    if (follows) {
      epochs_s.push_back(last->wall_s + last->evaluate_s);
      between_s.push_back(row.start_s - last->start_s - epochs_s.back());
    }
    last = &row;
  }
  if (epochs_s.size() < some) {
    return "";
  }
  const double epoch_s = summarize(epochs_s)->median, gap_s = summarize(between_s)->median;
  return gap_s <= epoch_s
             ? ""
             : fmt::format("epochs seem to take {:.3g} s, and {:.3g} s pass between them", epoch_s,
                           gap_s);
}

}  // namespace epochcast::progress
