#include "src/measure/progress/recognizer/stated_total.hpp"

#include <fmt/format.h>

#include "src/base/core/lists.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/measure/progress/lines/line.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {

std::string total_contradicts(std::string_view text, const Rows& rows) {
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
    const auto match = line.size() > 160 ? std::nullopt : form.find(line);
    if (const auto time_s = match ? seconds_in(*match, "time") : std::nullopt) {
      total_s += *time_s;
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

}  // namespace epochcast::progress
