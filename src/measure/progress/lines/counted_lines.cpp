#include "src/measure/progress/lines/counted_lines.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "src/base/core/regular_expression.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/lines/line.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

struct Count {
  std::string_view before, after;  ///< The line without it.
  std::int64_t number = 0;
  std::optional<std::int64_t> total;
};

/// One way to count: a word, or brackets at the begin.
class Counter {
 public:
  /// A line that counts so contains one of the hints.
  Counter(const std::string& word, std::vector<std::string> hints)
      : hints_(std::move(hints)),
        form_(
            word.empty()
                ? R"(^(?<before>\W{0,8})[[(] ?(?<number>\d{1,6}) ?/ ?(?<total>\d{1,6}) ?[])](?<after>.*))"
                : "(?i)^(?<before>[^0-9]{0,32}?(?<![a-z]))" + word +
                      R"([ #:]{1,2}(?<number>\d{1,6})(?![\d.])(?: ?(?:/|of) ?(?<total>\d{1,6}))?(?<after>.*))"),
        has_word_(!word.empty()) {}

  std::optional<Count> in(std::string_view line) const {
    if (hints_.find(line, 0) == std::string_view::npos) {
      return std::nullopt;
    }
    const auto message = line.substr(take_stamp(line).size);
    const auto match = form_.find(message);
    if (!match) {
      return std::nullopt;
    }
    const auto before = match->text("before");
    return Count{.before = line.substr(0, line.size() - message.size() + before.size()),
                 .after = match->text("after"),
                 .number = count_in(*match, "number").value_or(0),
                 .total = count_in(*match, "total")};
  }

  /// Whether it counts the epochs of the log.
  bool counts(std::string_view text) const {
    std::optional<Count> last;
    std::set<std::int64_t> numbers, evaluated;
    while (!text.empty()) {
      const auto found = in(take_line(text));
      if (!found) {
        continue;
      }
      const auto& total = found->total;
      const bool goes_on = last ? found->number == last->number || found->number == last->number + 1
                                : found->number <= 1;
      const bool same = !last || !last->total || !total || total == last->total;
      if (!goes_on || !same || (total && found->number > *total)) {
        return false;
      }
      last = found;
      numbers.insert(found->number);
      if (of_evaluation(found->after)) {
        evaluated.insert(found->number);
      }
    }
    return numbers.size() > 1 && (has_word_ || evaluated.size() == numbers.size());
  }

 private:
  Hints hints_;
  RegularExpression form_;
  bool has_word_;
};

/// Words that stand before the number of a repetition of the whole training data; none.
const std::array<Counter, 4>& all_counters() {
  static const std::array<Counter, 4> all{
      Counter("(?:training |communication |federated |global )?round", {"ound ", "OUND "}),
      Counter("(?<!forward )(?<!backward )pass", {"ass ", "ASS "}),
      Counter("(?:sweep|durchlauf)", {"weep", "WEEP", "lauf "}),
      Counter("", {"/ ", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"})};
  return all;
}

}  // namespace

std::optional<std::string> with_epochs_named(std::string_view text) {
  // Not "best at epoch 12".
  static const RegularExpression epoch(R"((?im)^(?!.*best).*epoch(?!s)\W{0,3}\d|%\|)");
  if (epoch.find(text)) {
    return std::nullopt;
  }
  for (const auto& counter : all_counters()) {
    if (!counter.counts(text)) {
      continue;
    }
    std::string named;
    while (!text.empty()) {
      const bool ended = text.find('\n') != std::string_view::npos;
      const auto line = take_line(text);
      if (const auto count = counter.in(line)) {
        named.append(count->before).append("epoch ").append(std::to_string(count->number));
        named.append(count->total ? "/" + std::to_string(*count->total) : "");
        named.append(count->after);
      } else {
        named.append(line);
      }
      named.append(ended ? "\n" : "");
    }
    return named;
  }
  return std::nullopt;
}

}  // namespace epochcast::progress
