#include "src/measure/progress/reading/bar.hpp"

#include <cmath>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/duration.hpp"

namespace epochcast::progress {
namespace {

/// "train:  50%|████   | 5/10 [00:01<00:01, 4.9it/s, loss=0.5]", counts as "1.23k" too.
constexpr const char* bar_with_total = R"((?x)
  ^ (?<description>.*?) \d+%\| [^|]* \|[ ]?
  (?<done>\d[\d.]*[kMGT]?) / (?<total>\d[\d.]*[kMGT]?) [ ]*
  \[ (?<elapsed>[^<]*) < .*?, [ ] [^,]*/[^,]* (?: ,[ ] (?<postfix>.*) )? \] [^]]* $)";

/// "train: 512it [00:10, 49.8it/s]"
constexpr const char* bar_without_total = R"((?x)
  ^ (?<description>(?: (?: (?![ ]\[) . )* [ ] )?) (?<done>\d[\d.]*[kMGT]?) [^ ]+ [ ]
  \[ (?<elapsed>(?: [^,]* day [^,]* ,[ ] )? [^,]*), [ ] [^,]*/[^,]* (?: ,[ ] (?<postfix>.*) )?
  \] [^]]* $)";

struct Count {
  std::int64_t value = 0;
  bool scaled = false;
};

/// "512", "1.23k", "4.00G".
std::optional<Count> scaled_count(std::string_view text) {
  constexpr double most = 1e15;
  const auto prefix = std::string_view("kMGT").find(text.back());
  const bool scaled = prefix != std::string_view::npos;
  text.remove_suffix(scaled ? 1 : 0);
  const auto value = parse_double(text);
  const double all =
      value.value_or(0) * (scaled ? std::pow(1000.0, static_cast<double>(prefix + 1)) : 1);
  return value && all <= most
             ? std::optional(Count{std::llround(all), scaled || *value != std::floor(*value)})
             : std::nullopt;
}

std::string_view without_colon(std::string_view description) {
  description = trim(description);
  description.remove_suffix(description.ends_with(':') ? 1 : 0);
  return description;
}

}  // namespace

std::optional<Bar> parse_bar(std::string_view text) {
  static const RegularExpression with_total(bar_with_total);
  static const RegularExpression without_total(bar_without_total);
  static const RegularExpression of_bytes(R"([ \d?][kMGT]?i?B/s[],])");  // a download
  const bool has_percent = text.find("%|") != std::string_view::npos;
  const auto match = (has_percent ? with_total : without_total).find(text);
  if (!match || of_bytes.find(text)) {
    return std::nullopt;
  }
  const auto done = scaled_count(match->text("done"));
  const auto total = has_percent ? scaled_count(match->text("total")) : Count{};
  const auto elapsed_s = clock_time_s(match->text("elapsed"));
  if (!done || !total || !elapsed_s) {
    return std::nullopt;
  }
  return Bar{.description = without_colon(match->text("description")),
             .done = done->value,
             .total = has_percent ? std::optional(total->value) : std::nullopt,
             .elapsed_s = *elapsed_s,
             .postfix = match->text("postfix"),
             .scaled = done->scaled || total->scaled};
}

}  // namespace epochcast::progress
