#include "analysis/validate/run_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "analysis/validate/relative_scores.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/prior_constants.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {
namespace {

constexpr std::size_t fewest_epochs = 5;
// So that a run of 5 epochs is not scored on what was given.
constexpr std::size_t fewest_unseen = 3;

std::size_t fewest_for(std::size_t seen, double times) {
  const auto of_seen = static_cast<std::size_t>(std::ceil(static_cast<double>(seen) * times));
  return std::max({fewest_epochs, of_seen, seen < fewest_epochs ? 0 : seen + fewest_unseen});
}

/// Runs that are not scored: their number and the path of the first, by reason.
class LeftOut {
 public:
  void add(const std::string& reason, const std::string& path) {
    auto& [count, first] = reasons_[reason];
    first = count++ == 0 ? path : first;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const auto& [reason, found] : reasons_) {
      const auto& [count, first] = found;
      notes.push_back(fmt::format("{} run{} left out: {} ({}{})", count, count == 1 ? "" : "s",
                                  reason, count == 1 ? "" : "the first: ", first));
    }
    return notes;
  }

 private:
  std::map<std::string, std::pair<std::size_t, std::string>> reasons_;
};

struct Cases {
  std::vector<ForecastCase> forecasts;
  std::vector<ForecastCase> stated;  ///< With the schedule, where it is known.
  bool any_stated = false;
  std::vector<const EpochLog*> runs;
  LeftOut left_out;
};

std::string configuration_of(const EpochLog& run) {
  return run.submitter + "/" + run.system + "/" + run.benchmark;
}

/// Each configuration counts once, and each benchmark like the others: the weights of all cases
/// that teach add up to the number of configurations.
void set_weights(std::vector<ForecastCase>& cases) {
  std::map<std::string, std::map<std::string, double>> runs;  // benchmark -> configuration -> runs
  double configurations = 0;
  for (const auto& one : cases) {
    auto& count = runs[one.groups[1]][one.groups[2]];
    configurations += one.teaches && count == 0 ? 1 : 0;
    count += one.teaches ? 1 : 0;
  }
  std::erase_if(runs, [](const auto& benchmark) {
    return std::ranges::all_of(benchmark.second, [](const auto& one) { return one.second == 0; });
  });
  for (auto& one : cases) {
    if (one.teaches) {
      const auto& benchmark = runs[one.groups[1]];
      const auto taught =
          std::ranges::count_if(benchmark, [](auto& row) { return row.second > 0; });
      one.weight = configurations / static_cast<double>(runs.size()) / static_cast<double>(taught) /
                   benchmark.at(one.groups[2]);
    }
  }
}

Cases cases_of(const RunQuestion& question, const EpochLogs& logs, std::size_t seen) {
  Cases cases;
  for (const auto& path : logs.without_epochs) {
    cases.left_out.add(
        fmt::format("no row of {} {}", question.unit == "epoch" ? "an" : "a", question.unit), path);
  }
  for (const auto& run : logs.runs) {
    const auto fewest = fewest_for(seen, question.fewest_times);
    auto why_not = question.why_not(run);
    if (!why_not && run.epoch_s.size() < fewest) {
      why_not = fmt::format("fewer than {}", counted(fewest, question.unit));
    }
    if (why_not) {
      cases.left_out.add(*why_not, run.path);
      continue;
    }
    auto forecast = question.case_of(run, seen);
    auto stated =
        question.stated_case_of == nullptr ? std::nullopt : question.stated_case_of(run, seen);
    cases.any_stated = cases.any_stated || stated;
    for (auto* one : {&forecast, stated ? &*stated : nullptr}) {
      if (one != nullptr) {
        one->groups = {run.submitter, run.benchmark, configuration_of(run)};
        one->teaches = !forecast::ends_within_last(run.epoch_s);
      }
    }
    cases.stated.push_back(stated.value_or(forecast));
    cases.forecasts.push_back(std::move(forecast));
    cases.runs.push_back(&run);
  }
  set_weights(cases.forecasts);
  set_weights(cases.stated);
  return cases;
}

std::ptrdiff_t teachers_of(const Cases& cases) {
  return std::ranges::count_if(cases.forecasts, &ForecastCase::teaches);
}

/// "2 runs stopped within their last epoch: intervals are not learned from them (the first: PATH)".
std::optional<std::string> note_of_cut(const Cases& cases) {
  std::size_t count = 0;
  std::string first;
  for (std::size_t i = 0; i < cases.runs.size(); ++i) {
    if (!cases.forecasts[i].teaches) {
      first = count++ == 0 ? cases.runs[i]->path : first;
    }
  }
  if (count == 0) {
    return std::nullopt;
  }
  return fmt::format("{} stopped within the last epoch: no interval is learned from {} ({}{})",
                     counted(count, "run"), count == 1 ? "it" : "them",
                     count == 1 ? "" : "the first: ", first);
}

Slice slice(const std::string& by, const std::string& what, std::size_t count,
            const std::function<bool(std::size_t)>& belongs) {
  Slice slice{by, what, {}};
  for (std::size_t i = 0; i < count; ++i) {
    if (belongs(i)) {
      slice.rows.push_back(i);
    }
  }
  return slice;
}

/// Quarters of the runs by their number of epochs; runs of equal length stay together.
void add_lengths(const Cases& cases, const std::string& unit, std::vector<Slice>& slices) {
  std::vector<double> lengths;
  for (const auto* run : cases.runs) {
    lengths.push_back(static_cast<double>(run->epoch_s.size()));
  }
  double above = 0;
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    const double to = quantile(lengths, part);
    auto quarter = slice("length", "", lengths.size(),
                         [&](std::size_t i) { return lengths[i] > above && lengths[i] <= to; });
    if (!quarter.rows.empty()) {
      double from = to;
      for (const auto row : quarter.rows) {
        from = std::min(from, lengths[row]);
      }
      quarter.what = from == to ? fmt::format("{:g} {}s", to, unit)
                                : fmt::format("{:g} to {:g} {}s", from, to, unit);
      slices.push_back(std::move(quarter));
    }
    above = to;
  }
}

/// One slice for each text.
void add_texts(const std::string& by, const std::vector<std::string>& texts,
               std::vector<Slice>& slices) {
  for (const auto& text : std::set(texts.begin(), texts.end())) {
    slices.push_back(
        slice(by, text, texts.size(), [&](std::size_t i) { return texts[i] == text; }));
  }
}

/// Whether the rates of the epochs seen differ by no more than machines differ.
bool are_alike(const forecast::RunSeries& seen) {
  auto rates = seen.step_s;
  for (std::size_t i = 0; i < seen.step_work.size(); ++i) {
    rates[i] /= seen.step_work[i];
  }
  const auto [least, most] = std::ranges::minmax_element(rates);
  return *most <= (1 + forecast::machine_tolerance) * *least;
}

std::vector<Slice> slices_of(const Cases& cases, const std::string& unit, const Method& ours) {
  std::vector<Slice> slices;
  add_lengths(cases, unit, slices);
  std::vector<std::string> benchmarks;
  std::vector<std::string> alike;
  std::vector<std::string> last;
  std::set<std::string> seen;
  Slice single{"", "one run a configuration", {}};
  for (std::size_t i = 0; i < cases.runs.size(); ++i) {
    const auto& run = *cases.runs[i];
    benchmarks.push_back(run.benchmark.empty() ? "unknown" : run.benchmark);
    alike.push_back(are_alike(cases.forecasts[i].seen) ? "alike" : "unlike");
    last.push_back(cases.forecasts[i].teaches ? "whole" : "cut");
    if (seen.insert(configuration_of(run)).second) {
      single.rows.push_back(i);
    }
  }
  add_texts(unit + "s seen", alike, slices);
  add_texts("last " + unit, last, slices);
  add_texts("class", ours.classes, slices);
  add_texts("benchmark", benchmarks, slices);
  slices.push_back(std::move(single));
  return slices;
}

std::string name_of(const CsvFile& file) {
  return std::filesystem::path(file.path()).filename().string();
}

struct LearnedFile {
  std::string name;
  EpochLogs logs;
};

std::vector<LearnedFile> read_all(const std::vector<CsvFile>& files,
                                  EpochLogs (*read)(const CsvFile& file)) {
  std::vector<LearnedFile> learned;
  for (const auto& file : files) {
    learned.push_back({name_of(file), read(file)});
  }
  return learned;
}

forecast::Prediction prediction_of(const RunRule& rule, const forecast::RunSeries& seen) {
  const double total_s = rule.total_s(seen);
  if (rule.half_width_s == nullptr) {
    return {total_s};
  }
  const double half_s = rule.half_width_s(seen);
  const forecast::Interval interval{total_s - half_s, total_s + half_s};
  return {total_s, interval, interval};
}

/// A run as one method forecast it.
struct EachRow {
  const EpochLog* run;
  const ForecastCase* one;
  const std::string* method;
  const std::optional<forecast::Prediction>* found;
};

double seen_s(const forecast::RunSeries& seen) {
  return std::accumulate(seen.step_s.begin(), seen.step_s.end(), seen.before_s);
}

auto end_of(forecast::Interval forecast::Prediction::*level, double forecast::Interval::*end) {
  return [level, end](const EachRow& row) {
    const bool known = *row.found && ((**row.found).*level).is_known();
    return known ? std::optional(((**row.found).*level).*end) : std::nullopt;
  };
}

table::Table each_table(const std::string& name, const std::string& title, const Cases& cases,
                        const std::vector<Method>& methods) {
  std::vector<EachRow> rows;
  for (std::size_t i = 0; i < cases.runs.size(); ++i) {
    for (const auto& method : methods) {
      rows.push_back({cases.runs[i], &cases.forecasts[i], &method.name, &method.predictions[i]});
    }
  }
  using forecast::Interval;
  using forecast::Prediction;
  const table::Columns<EachRow> columns{
      {"path", "path", [](auto& row) { return row.run->path; }},
      {"repo", "repo", [](auto& row) { return row.run->source; }},
      {"benchmark", "benchmark", [](auto& row) { return row.run->benchmark; }},
      {"configuration", "configuration", [](auto& row) { return row.one->groups.back(); }},
      {"units", "units", "", 0, [](auto& row) { return row.run->epoch_s.size(); }},
      {"last", "last", [](auto& row) { return row.one->teaches ? "whole" : "cut"; }},
      {"method", "method", [](auto& row) { return *row.method; }},
      {"actual_s", "actual", "s", 6,
       [](auto& row) { return row.one->actual_s - row.one->given_s; }},
      {"seen_s", "seen", "s", 6, [](auto& row) { return seen_s(row.one->seen); }},
      {"forecast_s", "forecast", "s", 6,
       [](auto& row) { return *row.found ? std::optional((*row.found)->value) : std::nullopt; }},
      {"low_80_s", "low 80", "s", 6, end_of(&Prediction::interval_80, &Interval::low)},
      {"high_80_s", "high 80", "s", 6, end_of(&Prediction::interval_80, &Interval::high)},
      {"low_95_s", "low 95", "s", 6, end_of(&Prediction::interval_95, &Interval::low)},
      {"high_95_s", "high 95", "s", 6, end_of(&Prediction::interval_95, &Interval::high)}};
  return table::make_table(name, title, columns, rows);
}

class Scorer {
 public:
  Scorer(const RunQuestion& question, const CsvFile& file, const ValidateOptions& options)
      : question_(question),
        file_(file),
        logs_(question.read(file)),
        learned_(read_all(options.learn, question.read)),
        relatives_(options.relatives) {}

  /// No tables, and a line in why_not(), where no run has enough epochs.
  std::vector<table::Table> tables(std::size_t seen) {
    const auto cases = cases_of(question_, logs_, seen);
    auto notes = cases.left_out.notes();
    if (cases.runs.empty()) {
      why_not_.push_back(fmt::format("no run to score from {}: {}", counted(seen, question_.unit),
                                     notes.empty() ? "it has no rows" : join(notes, "; ")));
      return {};
    }
    std::vector<double> actual_s;
    for (const auto& one : cases.forecasts) {
      actual_s.push_back(one.actual_s);
    }
    if (const auto note = note_of_cut(cases)) {
      notes.push_back(*note);
    }
    auto methods = forecast_methods(cases.forecasts, {"submitter", "benchmark"},
                                    lessons_of(seen, false, notes));
    const auto first = methods.front();
    if (cases.any_stated) {
      for (auto& method : forecast_methods(cases.stated, {"submitter", "benchmark"},
                                           lessons_of(seen, true, notes))) {
        method.name += ", " + question_.stated_name;
        methods.push_back(std::move(method));
      }
    }
    for (const auto& rule : question_.rules) {
      if (seen >= rule.fewest_seen) {
        const Rule<ForecastCase> answers{
            rule.name, [&](const auto& one) { return prediction_of(rule, one.seen); }};
        methods.push_back(answers.to_all(cases.forecasts));
      }
    }
    if (relatives_) {
      add_relatives(cases, methods);
    }
    const auto title = fmt::format("{} from the first {}", question_.title, seen);
    auto scores =
        score_table(fmt::format("seen_{}", seen),
                    fmt::format("{}: {} runs", title, cases.runs.size()), actual_s, methods);
    scores.notes = std::move(notes);
    return {std::move(scores),
            slice_table(fmt::format("parts_{}", seen), title + ", by part", actual_s, methods,
                        slices_of(cases, question_.unit, first)),
            each_table(fmt::format("each_{}", seen), title + ", each run", cases, methods)};
  }

  const ExcludedRows& broken() const { return logs_.broken; }
  const std::vector<std::string>& why_not() const { return why_not_; }

 private:
  void add_relatives(const Cases& cases, std::vector<Method>& methods) const {
    std::vector<RelatedRun> runs;
    for (const auto* run : cases.runs) {
      runs.push_back({.program = run->source + "/" + run->benchmark,
                      .submitter = run->submitter,
                      .whole = question_.relative_of(*run)});
    }
    for (auto& method : relative_methods(cases.forecasts, runs)) {
      methods.push_back(std::move(method));
    }
  }

  std::vector<Lesson> lessons_of(std::size_t seen, bool stated,
                                 std::vector<std::string>& notes) const {
    std::vector<Lesson> lessons;
    for (const auto& [name, logs] : learned_) {
      const auto cases = cases_of(question_, logs, seen);
      lessons.push_back({name, lesson_of(stated ? cases.stated : cases.forecasts, 1)});
      const auto& factors = lessons.back().factors;
      notes.push_back(
          fmt::format("{} teaches from {} runs{}: 80 % intervals times {:.2f}, 95 % "
                      "intervals times {:.2f}",
                      name, teachers_of(cases), stated ? " with their schedule" : "", factors.of_80,
                      factors.of_95));
    }
    return lessons;
  }

  const RunQuestion& question_;
  const CsvFile& file_;
  EpochLogs logs_;
  std::vector<LearnedFile> learned_;
  bool relatives_;
  std::vector<std::string> why_not_;
};

/// The later half of the units after the first, as in forecast.hpp.
std::size_t first_of_later_half(const forecast::RunSeries& seen) {
  const auto count = seen.step_s.size();
  return count == 1 ? 0 : count - count / 2;
}

double work_of(const forecast::RunSeries& seen, std::size_t unit) {
  return seen.step_work.empty() ? 1 : seen.step_work[unit];
}

/// Seconds of what is left, at the mean rate of the later half.
double rest_of_later_half_s(const forecast::RunSeries& seen) {
  double time_s = 0;
  double work = 0;
  double left = seen.step_work.empty() ? static_cast<double>(seen.epochs)
                                       : seen.work_per_epoch * static_cast<double>(seen.epochs);
  for (std::size_t i = 0; i < seen.step_s.size(); ++i) {
    left -= work_of(seen, i);
    if (i >= first_of_later_half(seen)) {
      time_s += seen.step_s[i];
      work += work_of(seen, i);
    }
  }
  return left * time_s / work;
}

double pauses_like_seen_s(const forecast::RunSeries& seen) {
  const double seen_s = std::accumulate(seen.gaps_s.begin(), seen.gaps_s.end(), 0.0);
  const auto left = static_cast<double>(seen.epochs - (seen.ends_with_step ? 1 : 0)) -
                    static_cast<double>(seen.gaps_s.size());
  return seen_s + std::max(0.0, left) * mean(seen.gaps_s).value_or(0);
}

}  // namespace

RunRule rule_of_later_half() {
  return {.name = "seen + rest x mean of the later half",
          .fewest_seen = 1,
          .total_s =
              [](const forecast::RunSeries& seen) {
                return seen_s(seen) + rest_of_later_half_s(seen) + pauses_like_seen_s(seen);
              },
          .half_width_s =
              [](const forecast::RunSeries& seen) {
                auto rates = seen.step_s;
                for (std::size_t i = 0; i < rates.size(); ++i) {
                  rates[i] /= work_of(seen, i);
                }
                const auto [least, most] = std::ranges::minmax(rates);
                const double work = rest_of_later_half_s(seen);
                const double rate =
                    mean({rates.begin() + static_cast<std::ptrdiff_t>(first_of_later_half(seen)),
                          rates.end()})
                        .value_or(1);
                return work * (0.004 + (most - least) / rate / 2);
              }};
}

std::vector<table::Table> score_runs(const RunQuestion& question, const CsvFile& file,
                                     const ValidateOptions& options) {
  Scorer scorer(question, file, options);
  std::vector<table::Table> tables;
  for (const auto seen : options.seen.empty() ? question.seen : options.seen) {
    for (auto& one : scorer.tables(seen)) {
      tables.push_back(std::move(one));
    }
  }
  if (tables.empty()) {
    throw Error(file.path() + ": " + join(scorer.why_not(), "; "));
  }
  for (const auto& line : scorer.why_not()) {
    table::add_note(tables.front(), line);
  }
  if (const auto note = scorer.broken().note()) {
    tables.front().notes.push_back(*note);
  }
  return tables;
}

}  // namespace epochcast::analysis
