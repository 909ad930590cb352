#include "src/measure/progress/reading/pattern_format.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "src/base/core/lists.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/values.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

using Match = RegularExpression::Match;

struct Rule {
  LineRule of_line;
  RegularExpression expression;
  std::optional<RegularExpression> value;
};

struct Rules {
  std::vector<Rule> rules;
  std::vector<std::string> not_metrics;
};

constexpr auto known_groups = std::to_array<std::string_view>(
    {"epoch", "epochs", "step", "steps", "samples", "part", "values", "held_out", "duration",
     "overhead", "elapsed", "step_time", "step_ms", "step_mean", "evaluation", "clock"});

/// "0.5", "9905/10000", "491,520".
std::optional<double> share(std::string_view printed) {
  std::string text(printed);
  std::erase(text, ',');
  const auto slash = text.find('/');
  const auto whole = slash == std::string::npos ? 1 : parse_double(text.substr(slash + 1));
  const auto part = parse_double(text.substr(0, slash));
  return part && whole && *whole != 0 ? std::optional(*part / *whole) : std::nullopt;
}

/// Runs of white space as one blank; "valid_0's auc" is a name of two words.
std::string squeezed(std::string_view text) {
  std::string found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("'s ")) {
      ++at;
    } else if (text[at] != ' ' && text[at] != '\t') {
      found += text[at];
    } else if (!found.ends_with(' ')) {
      found += ' ';
    }
  }
  return found;
}

/// The values that `expression` finds, one after another.
std::vector<NamedValue> values_by(const RegularExpression& expression, std::string_view text) {
  std::vector<NamedValue> found;
  while (const auto match = expression.find(text)) {
    const auto word = match->text("value");
    if (const auto value = parse_double(word)) {
      std::string name(trim(match->text("name")));
      std::ranges::replace(name, ' ', '_');
      found.push_back({std::move(name), *value});
    }
    text = {word.end(), text.end()};
  }
  return found;
}

class PatternParser final : public SingleLineParser {
 public:
  explicit PatternParser(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}

  std::optional<Reading> parse_line(const Line& line) override {
    for (const auto& rule : rules_->rules) {
      if (line.text.find(rule.of_line.needs) == std::string_view::npos) {
        continue;
      }
      if (const auto match = rule.expression.find(line.text)) {
        return read(rule, *match);
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Reading> read(const Rule& rule, const Match& match) {
    Reading reading;
    if (!take_epoch_number(rule.of_line, match, reading)) {
      return std::nullopt;
    }
    take_steps(rule.of_line, match, reading);
    take_times(match, reading);
    reading.samples = count_in(match, "samples");
    reading.part = share(match.text("part"));
    take_values(rule, rule.of_line.prefix, match.text("values"), reading);
    take_values(rule, "valid_", match.text("held_out"), reading);
    for (const auto& [name, text] : match) {
      const bool known = std::ranges::find(known_groups, name) != known_groups.end();
      if (const auto value = known ? std::nullopt : share(text)) {
        reading.metrics.push_back({std::string(name), *value});
      }
    }
    reading.running = rule.of_line.running;
    const bool again = reading.running && std::exchange(running_epoch_, epoch_) == epoch_;
    reading.evidence = again ? 0 : rule.of_line.evidence;
    return meant(rule.of_line, reading);
  }

  bool take_epoch_number(const LineRule& rule, const Match& match, Reading& reading) {
    const auto printed = count_in(match, "epoch");
    const auto total = count_in(match, "epochs");
    const bool known = rule.first_epoch != LineRule::unknown;
    if (printed && !first_epoch_) {
      first_epoch_ = *printed == 0 ? 0 : 1;
    }
    const int first = known ? rule.first_epoch : first_epoch_.value_or(0);
    if (total) {
      // "0/99" is the first of 100.
      const bool last = !known && !rule.counts_epochs && printed && first == 0;
      epochs_ = *total + (last ? 1 : 0);
    }
    if (printed) {
      if (*printed < first) {
        return false;
      }
      epoch_ = *printed - first;
    }
    reading.epoch = epoch_;
    reading.epochs = epochs_;
    return true;
  }

  void take_steps(const LineRule& rule, const Match& match, Reading& reading) {
    const auto printed = count_in(match, "step");
    reading.steps = count_in(match, "steps");
    if (reading.steps && rule.steps_from_zero) {
      ++*reading.steps;
    }
    if (!printed) {
      return;
    }
    auto& first = rule.says == Says::evaluation ? first_evaluation_step_ : first_step_;
    if (!first || *printed == 0) {  // the first of the text may stand anywhere in its epoch
      first = rule.first_step != LineRule::unknown ? rule.first_step : *printed == 0 ? 0 : 1;
    }
    reading.step = *printed - *first + 1;
    if (reading.steps && *reading.step > *reading.steps) {
      reading.step = reading.steps;
    }
  }

  void take_times(const Match& match, Reading& reading) {
    reading.duration_s = seconds_in(match, "duration");
    if (const auto overhead_s = seconds_in(match, "overhead"); reading.duration_s && overhead_s) {
      *reading.duration_s += *overhead_s;
    }
    reading.elapsed_s = seconds_in(match, "elapsed");
    reading.clock_s = seconds_in(match, "clock");
    reading.evaluation_s = seconds_in(match, "evaluation");
    if (!reading.step) {
      return;
    }
    reading.step_s = seconds_in(match, "step_time");
    if (const auto step_ms = seconds_in(match, "step_ms")) {
      reading.step_s = *step_ms / 1000;
    }
    if (const auto mean_s = seconds_in(match, "step_mean")) {
      reading.elapsed_s = *mean_s * static_cast<double>(*reading.step);
      all_steps_s_ = *mean_s * static_cast<double>(reading.steps.value_or(*reading.step));
    }
  }

  void take_values(const Rule& rule, std::string_view prefix, std::string_view text,
                   Reading& reading) const {
    for (auto& value : rule.value ? values_by(*rule.value, text)
                                  : named_values(squeezed(text), rule.of_line.bare)) {
      const auto low = to_lower(value.name);
      if (std::ranges::find(rules_->not_metrics, low) == rules_->not_metrics.end()) {
        value.name = std::string(prefix) + (rule.of_line.lower_case ? low : value.name);
        reading.metrics.push_back(std::move(value));
      }
    }
  }

  std::optional<Reading> meant(const LineRule& rule, Reading& reading) {
    switch (rule.says) {
      case Says::facts:
        facts_ = std::move(reading.metrics);
        return std::nullopt;
      case Says::step_of_run:
        reading.epoch = 0;
        reading.of_run = true;
        break;
      case Says::step_of_one_epoch:
        reading.epoch = 0;
        reading.epochs = 1;
        break;
      case Says::begin:
        if (rule.pattern.find("?<epoch>") == std::string::npos) {
          if (epoch_ && !std::exchange(ended_, false)) {
            return std::nullopt;
          }
          epoch_ = reading.epoch = 0;  // of another fold too
        }
        reading.begins_epoch = true;
        break;
      case Says::end_of_both:
      case Says::end:
        reading.covers_evaluation = rule.says == Says::end_of_both;
        if (!reading.epoch) {
          return std::nullopt;  // of one whose begin is not in the text
        }
        reading.ends_epoch = true;
        reading.since_epoch = rule.from_start ? std::optional<std::int64_t>(0) : std::nullopt;
        ended_ = true;
        break;
      case Says::duration:
        reading.states_duration = true;
        break;
      case Says::evaluation:
        evaluates_ = reading.elapsed_s.has_value();
        reading.phase = Phase::evaluate;
        reading.step = reading.step.value_or(0);
        reading.steps = reading.steps.value_or(*reading.step + 1);
        break;
      case Says::evaluated:
        if (std::exchange(evaluates_, false)) {
          reading.elapsed_s = all_steps_s_;  // also of those after its last line
        }
        reading.phase = Phase::evaluate;
        reading.step = reading.steps = 1;
        break;
      case Says::step:
        break;
    }
    append(reading.metrics, std::exchange(facts_, {}));
    return reading;
  }

  std::shared_ptr<const Rules> rules_;
  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> epochs_;
  bool ended_ = false;      ///< An epoch, since the last one began.
  bool evaluates_ = false;  ///< Its last line stated the mean time of its steps.
  double all_steps_s_ = 0;  ///< At the last mean that was stated.
  std::optional<std::int64_t> running_epoch_;
  std::optional<int> first_epoch_;
  std::optional<int> first_step_;
  std::optional<int> first_evaluation_step_;
  std::vector<NamedValue> facts_;  ///< Until the next line about the progress.
};

}  // namespace

FormatSpec pattern_format(const PatternFormat& format) {
  auto rules = std::make_shared<Rules>();
  FormatSpec spec{.summary = format.summary, .hints = format.hints};
  for (const auto& rule : format.rules) {
    rules->rules.push_back(
        {rule, RegularExpression(rule.pattern),
         rule.value.empty() ? std::nullopt : std::optional(RegularExpression(rule.value))});
    if (format.hints.empty()) {
      spec.hints.push_back(rule.needs);
    }
  }
  rules->not_metrics = format.not_metrics;
  spec.open = [rules = std::shared_ptr<const Rules>(rules)](const auto&) {
    return std::make_unique<PatternParser>(rules);
  };
  return spec;
}

}  // namespace epochcast::progress
