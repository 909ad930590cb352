#include "src/measure/progress/reading/lab_log_line.hpp"

#include <cmath>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::progress::lab_log {
namespace {

using Match = RegularExpression::Match;

std::optional<double> number(const Match& match, std::string_view name) {
  return parse_double(match.text(name));
}

std::optional<std::int64_t> count(const Match& match, std::string_view name) {
  constexpr double most = 9e15;  // 2^53: whole numbers are exact below
  const auto value = number(match, name);
  return value && std::abs(*value) < most && *value == std::trunc(*value)
             ? std::optional(static_cast<std::int64_t>(*value))
             : std::nullopt;
}

std::optional<Line> progress_line(const Match& match) {
  const auto loss_d = number(match, "loss_d");
  const auto loss_g = number(match, "loss_g");
  const auto rate = number(match, "rate");
  const auto examples = number(match, "examples");
  const auto seconds = number(match, "seconds");
  return loss_d && loss_g && rate && examples && seconds
             ? std::optional<Line>(Progress{*loss_d, *loss_g, *rate, *examples, *seconds,
                                            std::string(match.text("device"))})
             : std::nullopt;
}

std::optional<Line> total_line(const Match& match) {
  const auto seconds = number(match, "seconds");
  return seconds ? std::optional<Line>(TotalLine{*seconds}) : std::nullopt;
}

std::optional<Line> stamp_line(const Match& match) {
  return StampLine{std::string(match.text("which")), std::string(match.text("stamp"))};
}

std::optional<Line> mean_line(const Match& match) {
  return number(match, "mean") ? std::optional<Line>(MeanLine{}) : std::nullopt;
}

std::optional<Line> batch_line(const Match& match) {
  const auto epoch = count(match, "epoch");
  const auto index = count(match, "index");
  return epoch && index ? std::optional<Line>(BatchLine{*epoch, *index}) : std::nullopt;
}

template <class CountedLine>
std::optional<Line> counted_line(const Match& match) {
  const auto value = count(match, "count");
  return value ? std::optional<Line>(CountedLine{*value}) : std::nullopt;
}

std::optional<Line> device_line(const Match& match) {
  return DeviceLine{std::string(match.text("device"))};
}

std::optional<Line> ignored_line(const Match& /*match*/) {
  return IgnoredLine{};
}

struct Form {
  RegularExpression expression;
  bool ends;  ///< Its last word shows that nothing is missing.
  std::optional<Line> (*line)(const Match& match);
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {RegularExpression(
           R"(^loss_D (?<loss_d>\S+), loss_G (?<loss_g>\S+), (?<rate>\S+) examples/sec on )"
           R"((?<device>\S+) \((?<examples>\S+) examples in (?<seconds>\S+) seconds during this epoch\)$)"),
       true, progress_line},
      {RegularExpression(R"(^loss_D \S+, loss_G \S+, (?<mean>\S+) sec/epoch on \S+$)"), false,
       mean_line},
      {RegularExpression(R"(^Total training time: (?<seconds>\S+) seconds$)"), true, total_line},
      {RegularExpression(R"(^(?<which>Started at|Ended at): (?<stamp>.* local)$)"), true,
       stamp_line},
      {RegularExpression(R"(^Processing batch: (?<epoch>\d+)-(?<index>\S+)$)"), false, batch_line},
      {RegularExpression(R"(^Epoch: (?<count>\S+)$)"), false, counted_line<EpochLine>},
      {RegularExpression(R"(^Num epochs: (?<count>\S+)$)"), false, counted_line<CountLine>},
      {RegularExpression(R"(^Device: (?<device>\S+)$)"), false, device_line},
      // the last: of a job script of epochcast-jobs, which ran the program as a command
      {RegularExpression(R"(^(?:net_G\(x\)\.shape: |<Figure size |epochcast: |$))"), false,
       ignored_line}};
  return all;
}

}  // namespace

std::optional<Line> parse(std::string_view line, bool whole) {
  const auto text = trim(line);
  for (const auto& form : forms()) {
    const auto match =
        whole || form.ends || text.empty() ? form.expression.find(text) : std::nullopt;
    if (match) {
      return form.line(*match);
    }
  }
  return std::nullopt;
}

}  // namespace epochcast::progress::lab_log
