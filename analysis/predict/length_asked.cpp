#include "analysis/predict/length_asked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/model_work.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

/// The evaluations of a run, and the work that was done before each.
struct EvaluationPlaces {
  std::string unit;        ///< samples (as the record counts them), epochs or steps.
  std::vector<double> at;  ///< The work before each, in their order.

  /// The work before the `number`-th, from 1. One that was not seen comes as much work after the
  /// one before it as usual: the median of what lies between two; of a single one, what came
  /// before it. There is one at least.
  double place_of(std::int64_t number) const;
  /// " (3 seen, the others each 64 samples)"; "" if the `number`-th was seen.
  std::string text_of(std::int64_t number) const;

 private:
  double between() const;
};

/// A part of the run that has ended, with its work.
struct Part {
  double start_s;
  double end_s;
  double work;
};

std::vector<double> starts_of_evaluations(const record::Record& record) {
  std::vector<double> starts_s;
  for (const auto& span : record.spans) {
    if (span.name.view().starts_with("evaluate")) {
      starts_s.push_back(span.start_s);
    }
  }
  if (starts_s.empty()) {
    for (const auto& epoch : record.epochs) {
      if (epoch.evaluate_s > 0) {
        starts_s.push_back(epoch.start_s + epoch.wall_s);
      }
    }
  }
  std::ranges::sort(starts_s);
  return starts_s;
}

std::vector<Part> parts_of(const record::Record& record, bool counts_samples) {
  std::vector<Part> parts;
  for (const auto& epoch : record.epochs) {
    parts.push_back({epoch.start_s, epoch.start_s + epoch.wall_s,
                     counts_samples ? static_cast<double>(epoch.samples) : 1});
  }
  if (record.epochs.empty()) {
    const auto rows = record::first_rank(record);
    const auto steps = forecast::steps_of_rows(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double end_s = rows[i]->start_s + rows[i]->wait_s + rows[i]->step_s;
      parts.push_back({end_s, end_s, static_cast<double>(steps[i])});
    }
  }
  return parts;
}

/// The work until `at_s`, of a part that had not ended as much as of its time.
double work_until(const std::vector<Part>& parts, double at_s) {
  constexpr double rounding_s = 1e-3;
  double work = 0;
  for (const auto& part : parts) {
    if (part.end_s <= at_s + rounding_s) {
      work += part.work;
    } else if (part.start_s < at_s) {
      work += part.work * (at_s - part.start_s) / (part.end_s - part.start_s);
    }
  }
  return work;
}

double EvaluationPlaces::between() const {
  std::vector<double> lengths;
  for (std::size_t i = 1; i < at.size(); ++i) {
    lengths.push_back(at[i] - at[i - 1]);
  }
  return lengths.empty() ? at.front() : median_of(std::move(lengths));
}

double EvaluationPlaces::place_of(std::int64_t number) const {
  const auto seen = std::ssize(at);
  return number <= seen ? at[static_cast<std::size_t>(number - 1)]
                        : at.back() + static_cast<double>(number - seen) * between();
}

std::string EvaluationPlaces::text_of(std::int64_t number) const {
  return number <= std::ssize(at)
             ? ""
             : fmt::format(" ({} seen, the others each {:.6g} {})", at.size(), between(), unit);
}

/// In samples where the record is one of blocks with their work, else in epochs, without epochs in
/// steps.
EvaluationPlaces evaluations_of(const record::Record& record) {
  const bool blocks =
      forecast::has_blocks(record) &&
      std::ranges::all_of(record.epochs, [](const auto& row) { return row.samples > 0; });
  EvaluationPlaces places{.unit = record.epochs.empty() ? "steps" : blocks ? "samples" : "epochs"};
  const auto parts = parts_of(record, blocks);
  for (const double start_s : starts_of_evaluations(record)) {
    const double work = work_until(parts, start_s);
    if (work > 0 && (places.at.empty() || work > places.at.back())) {
      places.at.push_back(work);
    }
  }
  return places;
}

/// --epochs N, which need not be whole. Throws Error unless it is above 0.
forecast::RunLength epochs_asked(const cli::Arguments& arguments) {
  double epochs = 0;
  cli::read_option(arguments, "epochs", epochs, ">0");
  constexpr double most = 1e15;  // whole numbers up to here are exact
  if (epochs > most) {
    throw Error("--epochs: " + arguments.get("epochs") + " is too large");
  }
  return forecast::length_of_epochs(epochs);
}

/// 12 of "eval 12".
std::int64_t evaluation_asked(const cli::Arguments& arguments) {
  const auto text = arguments.get("until");
  const auto words = split(trim(text), ' ');
  const auto number = words.size() == 2 ? parse_integer(words[1]) : std::nullopt;
  if (!number || *number < 1 || !(words[0] == "eval" || words[0] == "evaluation")) {
    throw Error(fmt::format("--until: found '{}', expected 'eval N'", text));
  }
  return *number;
}

/// What a record counts, and how its counts become each other.
class Units {
 public:
  Units(const record::Record& record, const cli::Arguments& arguments)
      : record_(record),
        samples_per_step_(samples_per_step(record)),
        tokens_per_sample_(efficiency::tokens_per_sample(record)),
        of_rows_(record::parameter(record, "block_work")),
        rows_count_(counts_rows(record)),
        has_steps_(has_steps(record)) {
    if (arguments.has("sequence-length")) {
      tokens_per_sample_ = static_cast<double>(cli::count_of(arguments, "sequence-length"));
    }
  }

  LengthAsked of_steps(std::int64_t steps) const {
    const bool in_epochs = !record_.work.empty() && record_.work.front().iterations_per_epoch > 0 &&
                           !record_.epochs.empty();
    if (has_steps_ || in_epochs || !rows_count_) {
      return {.length = {.steps = steps}};
    }
    if (of_rows_ == "steps") {
      return {.length = {.samples = steps}};
    }
    if (samples_per_step_ > 0) {
      return in_samples(static_cast<double>(steps) * samples_per_step_, steps, "step");
    }
    return {.refused =
                "the record has no steps and does not state the samples of one: give "
                "--samples N"};
  }

  LengthAsked of_samples(std::int64_t samples) const {
    if (of_rows_ == "tokens") {
      return tokens_per_sample_ > 0
                 ? in_samples(static_cast<double>(samples) * tokens_per_sample_, samples, "sample")
                 : LengthAsked{.refused =
                                   "the record counts tokens: give --tokens N, or "
                                   "--sequence-length L with the tokens of a sample"};
    }
    const bool per_epoch = !record_.work.empty() && record_.work.front().samples_per_epoch > 0;
    if (!per_epoch && !rows_count_ && has_steps_ && samples_per_step_ > 0) {
      return in_steps(static_cast<double>(samples) / samples_per_step_, samples, "sample");
    }
    return {.length = {.samples = samples}};
  }

  LengthAsked of_tokens(std::int64_t tokens) const {
    if (of_rows_ == "tokens") {
      return {.length = {.samples = tokens}};
    }
    const double per_step = efficiency::tokens_per_step(record_);
    if (per_step > 0 && has_steps_) {
      return in_steps(static_cast<double>(tokens) / per_step, tokens, "token");
    }
    if (!(tokens_per_sample_ > 0)) {
      return {.refused =
                  "the record does not state how many tokens a sample has: give "
                  "--sequence-length L with --tokens, or --samples N"};
    }
    auto asked = of_samples(whole(static_cast<double>(tokens) / tokens_per_sample_));
    if (asked.refused.empty()) {
      asked.note = fmt::format("{} of {:g} a sample are {}", counted_of(tokens, "token"),
                               tokens_per_sample_, to_text(asked.length));
    }
    return asked;
  }

  LengthAsked of_evaluation(std::int64_t number) const {
    const auto schedule = evaluations_of(record_);
    if (schedule.at.empty()) {
      return {.refused = fmt::format("--until 'eval {}': the record shows no evaluation", number)};
    }
    const double at = schedule.place_of(number);
    LengthAsked asked;
    if (schedule.unit == "epochs") {
      asked.length = forecast::length_of_epochs(at);
    } else {
      (schedule.unit == "steps" ? asked.length.steps : asked.length.samples) = whole(at);
    }
    asked.note = fmt::format("until evaluation {}: {}{}", number, to_text(asked.length),
                             schedule.text_of(number));
    return asked;
  }

 private:
  static std::int64_t whole(double amount) {
    constexpr double rounding = 1e-9;
    return std::max<std::int64_t>(1, std::llround(std::ceil(amount * (1 - rounding))));
  }
  static std::string counted_of(std::int64_t number, const char* unit) {
    return counted(static_cast<std::size_t>(number), unit);
  }
  /// Whether forecasts of samples go by the rows: each has its work.
  static bool counts_rows(const record::Record& record) {
    return !record.epochs.empty() && record.epochs.front().epoch == 0 &&
           std::ranges::all_of(record.epochs, [](const auto& row) { return row.samples > 0; });
  }
  /// Blocks with their work show more than steps that are no more.
  bool has_steps(const record::Record& record) const {
    const auto steps = record::first_rank(record).size();
    const bool by_blocks = forecast::has_blocks(record) && rows_count_;
    return steps > (by_blocks ? record.epochs.size() : 0);
  }
  LengthAsked in_samples(double amount, std::int64_t number, const char* unit) const {
    return {.length = {.samples = whole(amount)},
            .note = fmt::format("{} are {} {}", counted_of(number, unit), whole(amount),
                                of_rows_ == "tokens" ? "tokens" : "samples")};
  }
  LengthAsked in_steps(double amount, std::int64_t number, const char* unit) const {
    return {.length = {.steps = whole(amount)},
            .note = fmt::format("{} are {}", counted_of(number, unit),
                                counted_of(whole(amount), "step"))};
  }

  const record::Record& record_;
  double samples_per_step_;
  double tokens_per_sample_;
  std::string of_rows_;  ///< Of a record of blocks: what its samples are.
  bool rows_count_;
  bool has_steps_;
};

}  // namespace

const std::vector<cli::Option>& length_options() {
  static const std::vector<cli::Option> options{
      {"epochs", "N",
       "Epochs to forecast, 4.02 of a run that ends within its fifth (default: the run's "
       "configured number)"},
      {"steps", "N",
       "Steps of the whole run, all epochs together (default: the run's parameter 'steps', if it "
       "has one)"},
      {"samples", "N",
       "Samples of the whole run, after as many epochs or blocks like the last one as that takes"},
      {"tokens", "N", "Tokens of the whole run"},
      {"until", "text", "Until the N-th evaluation has ended: 'eval 12'"}};
  return options;
}

void require_one_length(const cli::Arguments& arguments) {
  std::string given;
  for (const auto& option : length_options()) {
    if (!arguments.has(option.name)) {
      continue;
    }
    if (!given.empty()) {
      throw Error(fmt::format("--{} and --{} are mutually exclusive", given, option.name));
    }
    given = option.name;
  }
}

forecast::RunLength length_wanted(const record::Record& record, const cli::Arguments& arguments) {
  if (arguments.has("steps")) {
    return {.steps = cli::count_of(arguments, "steps")};
  }
  return arguments.has("epochs") ? epochs_asked(arguments) : forecast::length_of(record);
}

LengthAsked length_asked(const record::Record& record, const cli::Arguments& arguments) {
  const Units units(record, arguments);
  if (arguments.has("until")) {
    return units.of_evaluation(evaluation_asked(arguments));
  }
  if (arguments.has("tokens")) {
    return units.of_tokens(cli::count_of(arguments, "tokens"));
  }
  if (arguments.has("samples")) {
    return units.of_samples(cli::count_of(arguments, "samples"));
  }
  if (arguments.has("steps")) {
    return units.of_steps(cli::count_of(arguments, "steps"));
  }
  const auto own = length_wanted(record, arguments);
  const auto most = parse_integer(record::parameter(record, "max_steps")).value_or(0);
  if (own.is_known() || most <= 0) {
    return {.length = own};
  }
  auto asked = units.of_steps(most);
  asked.note = fmt::format("{}, the max_steps of the record",
                           asked.note.empty() ? to_text(asked.length) : asked.note);
  return asked;
}

}  // namespace epochcast::analysis
