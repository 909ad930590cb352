#include "src/measure/progress/lines/step_rate.hpp"

#include <algorithm>
#include <string>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::progress {

std::optional<double> take_step_rate(std::string_view& text) {
  static const std::string step = R"((?:steps?|it|iters?|iterations?|batch(?:es)?|updates?))";
  static const std::string per = R"((?: ?/ ?| per ))";
  static const std::string number = R"(^(?<value>\d++\.?+\d*+) ?)";
  static const std::string rest = R"((?![A-Za-z_/]| *[:=]? *\d)(?<rest>.*))";
  static const RegularExpression time(number + "(?<unit>(?i:ms|us|min|s|secs?|seconds?))" + per +
                                      R"((?:(?<steps>\d{1,9}) ?)?)" + step + rest);
  static const RegularExpression rate(number + step + per + "(?i:s|secs?|seconds?)" + rest);
  const auto after = text.substr(std::min(text.find_first_not_of("0123456789."), text.size()), 16);
  if (after.find('/') == std::string_view::npos && after.find(" per ") == std::string_view::npos) {
    return std::nullopt;
  }
  const auto of_time = time.find(text);
  const auto match = of_time ? of_time : rate.find(text);
  const auto value = match ? parse_double(match->text("value")) : std::nullopt;
  if (!value) {
    return std::nullopt;
  }
  text = match->text("rest");
  if (!of_time) {
    return *value > 0 ? std::optional(1 / *value) : std::nullopt;
  }
  const auto unit = to_lower(match->text("unit"));
  const double unit_s = unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : unit == "min" ? 60 : 1;
  return *value * unit_s / parse_double(match->text("steps")).value_or(1);
}

std::optional<double> step_s_by_name(std::string_view name, double value) {
  static const RegularExpression form(
      R"((?<![a-z])(?:(?<ms>ms)|s|secs?|seconds?)(?:/|[ _]per[ _])(?:step|it|iter|iteration|batch|update)$)"
      R"(|(?<![a-z])(?<rate>steps?|it|iters?|iterations?|batch(?:es)?|updates?)(?:/|[ _]per[ _])(?:s|sec|second)$)");
  const auto match = form.find(name);
  if (!match || value <= 0) {
    return std::nullopt;
  }
  return (*match)["rate"] ? 1 / value : (*match)["ms"] ? value / 1000 : value;
}

}  // namespace epochcast::progress
