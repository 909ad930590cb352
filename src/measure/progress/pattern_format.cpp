#include "src/measure/progress/pattern_format.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/words.hpp"

namespace epochcast::progress {
namespace {

using Groups = RegularExpression::Groups;

struct Rule {
  LineRule of_line;
  RegularExpression expression;
};

struct Rules {
  std::vector<Rule> rules;
  std::vector<std::string> not_metrics;
};

/// "20,100" too.
std::optional<std::int64_t> count_in(const Groups& groups, std::string_view name) {
  const auto found = groups.find(name);
  if (found == groups.end()) {
    return std::nullopt;
  }
  auto text = found->second;
  std::erase(text, ',');
  const auto value = parse_integer(trim(text));
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<double> seconds_in(const Groups& groups, std::string_view name) {
  const auto found = groups.find(name);
  if (found == groups.end()) {
    return std::nullopt;
  }
  Scanner scanner(trim(found->second));
  const auto duration = take_duration(scanner);
  return duration ? std::optional(duration->seconds) : std::nullopt;
}

/// Runs of white space as one blank; "valid_0's auc" is a name of two words.
std::string squeezed(std::string_view text) {
  std::string found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (text.substr(at).starts_with("'s ")) {
      ++at;
      continue;
    }
    const bool blank = c == ' ' || c == '\t';
    if (!blank || !found.ends_with(' ')) {
      found += blank ? ' ' : c;
    }
  }
  return found;
}

class Reader final : public FormatReader {
 public:
  explicit Reader(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}

  std::optional<Reading> read(const Line& line) override {
    for (const auto& rule : rules_->rules) {
      if (line.text.find(rule.of_line.needs) == std::string_view::npos) {
        continue;
      }
      if (const auto groups = rule.expression.search(line.text)) {
        return read(rule.of_line, *groups);
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Reading> read(const LineRule& rule, const Groups& groups) {
    Reading reading;
    if (!take_epoch_number(rule, groups, reading)) {
      return std::nullopt;
    }
    take_steps(rule, groups, reading);
    take_times(groups, reading);
    reading.samples = count_in(groups, "samples");
    if (const auto values = groups.find("values"); values != groups.end()) {
      take_values(rule.prefix, values->second, rule.bare, reading);
    }
    if (const auto values = groups.find("held_out"); values != groups.end()) {
      take_values("valid_", values->second, rule.bare, reading);
    }
    reading.evidence = rule.evidence;
    return meant(rule, reading);
  }

  bool take_epoch_number(const LineRule& rule, const Groups& groups, Reading& reading) {
    const auto printed = count_in(groups, "epoch");
    const auto total = count_in(groups, "epochs");
    const bool known = rule.first_epoch != LineRule::unknown;
    if (printed && !first_epoch_) {
      first_epoch_ = *printed == 0 ? 0 : 1;
    }
    const int first = known ? rule.first_epoch : first_epoch_.value_or(0);
    if (total) {
      // "0/99" is the first of 100.
      const bool last = !known && printed && first == 0;
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

  void take_steps(const LineRule& rule, const Groups& groups, Reading& reading) {
    const auto printed = count_in(groups, "step");
    reading.steps = count_in(groups, "steps");
    if (!printed) {
      return;
    }
    auto& first = rule.says == Says::evaluation ? first_evaluation_step_ : first_step_;
    if (!first) {
      first = rule.first_step != LineRule::unknown ? rule.first_step : *printed == 0 ? 0 : 1;
    }
    reading.step = *printed - *first + 1;
    if (reading.steps && *reading.step > *reading.steps) {
      reading.step = reading.steps;
    }
  }

  static void take_times(const Groups& groups, Reading& reading) {
    reading.duration_s = seconds_in(groups, "duration");
    if (const auto overhead_s = seconds_in(groups, "overhead"); reading.duration_s && overhead_s) {
      *reading.duration_s += *overhead_s;
    }
    reading.elapsed_s = seconds_in(groups, "elapsed");
    reading.clock_s = seconds_in(groups, "clock");
    reading.evaluation_s = seconds_in(groups, "evaluation");
    if (const auto step_s = seconds_in(groups, "step_time"); step_s && reading.step) {
      reading.step_s = step_s;
    }
    if (const auto mean_s = seconds_in(groups, "step_mean"); mean_s && reading.step) {
      reading.elapsed_s = *mean_s * static_cast<double>(*reading.step);
    }
  }

  void take_values(const std::string& prefix, const std::string& text, bool bare,
                   Reading& reading) const {
    for (auto& value : named_values(squeezed(text), bare)) {
      const auto low = to_lower(value.name);
      if (std::ranges::find(rules_->not_metrics, low) == rules_->not_metrics.end()) {
        value.name = prefix + value.name;
        reading.metrics.push_back(std::move(value));
      }
    }
  }

  std::optional<Reading> meant(const LineRule& rule, Reading& reading) {
    switch (rule.says) {
      case Says::facts:
        return std::nullopt;
      case Says::step_of_run:
        reading.epoch = 0;
        reading.of_run = true;
        break;
      case Says::begin:
        if (rule.pattern.find("?<epoch>") == std::string::npos && epoch_) {
          return std::nullopt;
        }
        reading.epoch = reading.epoch.value_or(0);
        reading.begins_epoch = true;
        break;
      case Says::end:
        if (!reading.epoch) {
          return std::nullopt;  // of one whose begin is not in the text
        }
        reading.ends_epoch = true;
        if (rule.from_start) {
          if (ended_ && epoch_ <= ended_) {
            return std::nullopt;  // "best iteration is: [85] ..."
          }
          reading.since_epoch = 0;
          ended_ = epoch_;
        }
        break;
      case Says::duration:
        reading.states_duration = true;
        break;
      case Says::evaluation:
        reading.phase = Phase::evaluate;
        reading.step = reading.step.value_or(0);
        reading.steps = reading.steps.value_or(*reading.step + 1);
        break;
      case Says::evaluated:
        reading.phase = Phase::evaluate;
        reading.step = reading.steps = 1;
        break;
      case Says::step:
        break;
    }
    return reading;
  }

  std::shared_ptr<const Rules> rules_;
  std::optional<std::int64_t> epoch_;
  std::optional<std::int64_t> epochs_;
  std::optional<std::int64_t> ended_;
  std::optional<int> first_epoch_;
  std::optional<int> first_step_;
  std::optional<int> first_evaluation_step_;
};

}  // namespace

FormatSpec pattern_format(const PatternFormat& format) {
  auto rules = std::make_shared<Rules>();
  FormatSpec spec{.summary = format.summary, .hints = format.hints};
  for (const auto& rule : format.rules) {
    rules->rules.push_back({rule, RegularExpression(rule.pattern)});
    if (format.hints.empty()) {
      spec.hints.push_back(rule.needs);
    }
  }
  rules->not_metrics = format.not_metrics;
  spec.open = [rules = std::shared_ptr<const Rules>(rules)](const auto&) {
    return std::make_unique<Reader>(rules);
  };
  return spec;
}

}  // namespace epochcast::progress
