// Logs of MLPerf trainings, as the public results repositories hold them. Each file becomes a
// record: its epochs as the progress format mllog reads them, and by their events its blocks, its
// evaluations, what it tracked of its steps, and what came before and after them as spans. Where
// the file lies
// (SUBMITTER/results/SYSTEM/BENCHMARK/RUN) is kept as parameters; `export epochs` needs it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/import/importer.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/version.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/measure/progress/mllog_events.hpp"
#include "src/measure/progress/whole_log.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis::importers {
namespace mllog_importer {

namespace mllog = progress::mllog;
using namespace progress::mllog;

using Place = std::vector<std::pair<std::string, std::string>>;

/// Results of HPC trainings have a folder more, for the kind of scaling.
bool is_scaling(const std::string& folder) {
  return folder == "weak" || folder == "strong";
}

/// From the path, else from the log itself.
Place place_of(const std::string& file, const std::vector<mllog::Event>& events) {
  const auto absolute = std::filesystem::absolute(file).lexically_normal();
  const std::vector<std::string> parts(absolute.begin(), absolute.end());
  for (std::size_t i = parts.size(); i-- > 2;) {
    if (parts[i] == "results" && i + 3 < parts.size()) {
      const std::vector<std::string> path(parts.begin() + static_cast<std::ptrdiff_t>(i) - 1,
                                          parts.end());
      const bool scaled = is_scaling(parts[i + 2]) && i + 4 < parts.size();
      Place place{{"repo", parts[i - 2]},
                  {"path", join(path, "/")},
                  {"submitter", parts[i - 1]},
                  {"system", parts[i + 1]},
                  {"benchmark", parts[i + (scaled ? 3 : 2)]},
                  {"run", parts.back()}};
      if (scaled) {
        place.emplace_back("scaling", parts[i + 2]);
      }
      return place;
    }
  }
  const auto said = [&](const char* key) {
    const auto value = mllog::last_value(events, key);
    return value.empty() ? "unknown" : value;
  };
  return {{"repo", absolute.parent_path().filename().string()},
          {"path", absolute.filename().string()},
          {"submitter", said("submission_org")},
          {"system", said("submission_platform")},
          {"benchmark", said("submission_benchmark")},
          {"run", absolute.filename().string()}};
}

std::vector<double> times_of(const std::vector<record::Epoch>& epochs) {
  std::vector<double> times_s;
  for (const auto& epoch : epochs) {
    times_s.push_back(epoch.wall_s);
  }
  return times_s;
}

class Run {
 public:
  Run(const std::string& file, progress::WholeLog log, const std::vector<mllog::Event>& events,
      const std::string& gpu)
      : events_(events), origin_ms_(events.front().time_ms) {
    set_header(file);
    record_.machines.emplace_back().gpu_name = gpu;
    set_parameters(place_of(file, events));
    add_epochs(std::move(log), mllog::pair_up(events, "epoch"));
    const auto blocks = mllog::pair_up(events, "block");
    if (record_.epochs.empty() && !blocks.closed.empty()) {
      add_blocks(blocks);
      add_evaluations();
      add_steps(marks());
      add_tracked();
    }
    add_spans(blocks, "block");
    add_spans(mllog::pair_up(events, "init"), "init");
    add_total();
  }

  record::Record record() && { return std::move(record_); }

 private:
  double since_start_s(std::int64_t time_ms) const {
    return static_cast<double>(time_ms - origin_ms_) / 1000;
  }

  void set_header(const std::string& file) {
    auto& header = record_.header;
    header.tool_version = tool_version;
    header.tool_revision = tool_revision;
    header.source = "imported:mllog";
    header.experiment = "mllog";
    header.job_id = fmt::format("{:016x}", fnv1a(std::filesystem::absolute(file).string()));
  }

  void parameter(const std::string& name, const std::string& value) {
    record_.parameters.push_back(parameter_row(name, value));
  }

  void set_parameters(const Place& place) {
    for (const auto& [name, value] : place) {
      parameter(name, value);
    }
    const auto stem = std::filesystem::path(place[5].second).stem().string();
    record_.header.allocation = place[3].second;
    record_.header.point =
        fmt::format("{}.{}.{}.{}", file_word(place[4].second), file_word(place[2].second),
                    file_word(place[3].second), file_word(stem));
    if (place.size() > 6) {
      record_.header.point = fmt::format("{}.{}", record_.header.point.view(), place[6].second);
    }
    for (const auto& [name, key] : {std::pair{"batch", "global_batch_size"},
                                    {"seed", "seed"},
                                    {"max_steps", "max_steps"},
                                    {"sequence_length", "max_sequence_length"}}) {
      if (const auto value = parse_integer(mllog::last_value(events_, key))) {
        parameter(name, std::to_string(*value));
      }
    }
    parameter("origin_ms", std::to_string(origin_ms_));
    auto& work = record_.work.emplace_back();
    work.samples_per_epoch = parse_integer(mllog::last_value(events_, "train_samples")).value_or(0);
  }

  /// The log does not state how many samples an epoch had: some submitters' "epochs" are blocks of
  /// unequal length.
  void add_epochs(progress::WholeLog log, const mllog::Intervals& epochs) {
    std::erase_if(log.rows.epochs, [](const auto& epoch) { return !(epoch.wall_s > 0); });
    record_.epochs = std::move(log.rows.epochs);
    record_.metrics = std::move(log.rows.metrics);
    record_.spans = std::move(log.rows.spans);
    for (auto& epoch : record_.epochs) {
      epoch.start_s += log.begin_s;
    }
    for (auto& span : record_.spans) {
      span.start_s += log.begin_s;
    }
    parameter("epoch_events", std::to_string(epochs.events));
    std::vector<std::string> notes;
    for (const auto& [count, what] : {std::pair{epochs.restarted, "started again while open"},
                                      {epochs.unclosed, "without an end"},
                                      {epochs.overlapping, "that overlap an earlier one"}}) {
      if (count > 0) {
        notes.push_back(fmt::format("{} epoch{} {}", count, count == 1 ? "" : "s", what));
      }
    }
    if (forecast::ends_within_last(times_of(record_.epochs))) {
      notes.push_back(fmt::format("the run stopped within its last epoch, after {:.3g} s",
                                  record_.epochs.back().wall_s));
    }
    record_.header.note = join(notes, "; ");
  }

  double number(const char* key) const {
    return parse_double(record::parameter(record_, key)).value_or(0);
  }

  /// Work that only the next block would state is that until the evaluation that follows.
  void complete_last(std::vector<mllog::BlockWork>& works, const mllog::Interval& last) const {
    if (works.back().amount || works.back().unit != std::string_view("samples")) {
      return;
    }
    double before = 0;
    for (const auto& work : works) {
      before += work.amount.value_or(0);
    }
    for (const auto& event : events_) {
      if (event.key == "eval_start" && event.time_ms >= last.stop_ms &&
          event.counts.samples.value_or(0) > before) {
        works.back().amount = *event.counts.samples - before;
        return;
      }
    }
  }

  /// The unit of the blocks' work, and how much of it a step is (0: not known). Counts of whole
  /// steps of sequences are tokens, less than a step are epochs. Steps and epochs become samples
  /// where the log states those of one.
  std::pair<std::string, double> unit_of(std::vector<mllog::BlockWork>& works) const {
    const std::string unit = works.front().unit;
    const double batch = number("batch");
    const double tokens = batch * number("sequence_length");
    if (unit == "count" && tokens > 0 && std::ranges::all_of(works, [&](const auto& work) {
          return work.amount && std::fmod(*work.amount, tokens) == 0;
        })) {
      return {"tokens", tokens};
    }
    const auto epoch = static_cast<double>(record_.work.front().samples_per_epoch);
    const bool epochs = unit == "count" && epoch > 0 && works.front().amount.value_or(0) < batch;
    if (!epochs && !(unit == "steps" && batch > 0)) {
      return {unit, unit == "steps" ? 1 : unit == "samples" || unit == "count" ? batch : 0};
    }
    for (auto& work : works) {
      work.amount =
          work.amount ? std::optional(*work.amount * (epochs ? epoch : batch)) : std::nullopt;
    }
    return {"samples", batch};
  }

  /// Of a log without epochs each block is a row of the table of epochs, with its work as samples.
  /// An evaluation between two blocks is part of what follows the first of them.
  void add_blocks(const mllog::Intervals& blocks) {
    auto works = mllog::works_of(blocks.closed);
    const std::string stated = works.front().unit;
    complete_last(works, blocks.closed.back());
    const auto [unit, of_step] = unit_of(works);
    work_of_step_ = of_step;
    for (std::size_t i = 0; i < works.size(); ++i) {
      const auto& block = blocks.closed[i];
      const double amount = works[i].amount.value_or(0);
      record_.epochs.push_back({.epoch = static_cast<std::int64_t>(i),
                                .start_s = since_start_s(block.start_ms),
                                .wall_s = block.length_s(),
                                .samples = std::llround(amount),
                                .iterations = of_step > 0 && std::fmod(amount, of_step) == 0
                                                  ? std::llround(amount / of_step)
                                                  : 0});
    }
    parameter("block_work", unit);
    record_.header.note =
        fmt::format("the log has {} and no epochs: a row of the epochs is a block{}",
                    counted(works.size(), "block"),
                    works.front().amount
                        ? fmt::format(", its samples are its {}",
                                      unit == "count" ? "epoch_count"
                                      : unit == stated
                                          ? unit
                                          : fmt::format("{} (stated: {})", unit,
                                                        stated == "count" ? "epoch_count" : stated))
                        : "");
  }

  /// The row in which `at_s` lies, or after which; the first, before all.
  std::size_t row_at(double at_s) const {
    const auto after = std::ranges::upper_bound(record_.epochs, at_s, {}, &record::Epoch::start_s);
    return after == record_.epochs.begin()
               ? 0
               : static_cast<std::size_t>(after - record_.epochs.begin()) - 1;
  }

  void metric(std::size_t row, std::string_view name, double value, std::int64_t step = 0) {
    record_.metrics.push_back({static_cast<std::int64_t>(row), name, value, step});
  }

  /// Of a log of blocks: a span each, the position that it states, and what it found.
  void add_evaluations() {
    for (const auto& evaluation : mllog::pair_up(events_, "eval").closed) {
      const double start_s = since_start_s(evaluation.start_ms);
      const auto row = row_at(start_s);
      auto& block = record_.epochs[row];
      const bool within = start_s < block.start_s + block.wall_s;
      block.evaluate_s += within ? 0 : evaluation.length_s();
      record_.spans.push_back({.name = "evaluate",
                               .epoch = within ? -1 : block.epoch,
                               .start_s = start_s,
                               .duration_s = evaluation.length_s()});
      const auto& at = evaluation.at_start;
      for (const auto& [name, value] : {std::pair{"evaluated_at_samples", at.samples},
                                        {"evaluated_at_steps", at.step},
                                        {"evaluated_at_epochs", evaluation.epoch}}) {
        if (value) {
          metric(row, name, *value);
        }
      }
    }
    for (const auto& event : events_) {
      const auto value = parse_double(event.value);
      if (value && (event.key == "eval_accuracy" || event.key == "eval_error")) {
        metric(row_at(since_start_s(event.time_ms)), event.key, *value);
      }
    }
  }

  /// A place in the run: so many steps were done, the last of which took as long as stated.
  struct Mark {
    double at_s = 0;
    double steps = 0;
    std::optional<double> step_s = {};
  };

  double steps_of(const record::Epoch& block) const {
    return static_cast<double>(block.samples) / work_of_step_;
  }

  /// What the log states of its steps, in the order of time: tracked_stats, the ends of blocks, and
  /// evaluations. More steps than the blocks have are samples.
  std::vector<Mark> marks() const {
    std::vector<Mark> ends;
    double steps = 0;
    double most = 0;  // of a block
    for (const auto& block : record_.epochs) {
      if (!(work_of_step_ > 0) || block.samples == 0) {
        break;
      }
      steps += steps_of(block);
      most = std::max(most, steps_of(block));
      ends.push_back({block.start_s + block.wall_s, steps});
    }
    const double batch = number("batch");
    const bool in_samples =
        most > 0 && batch > 0 && std::ranges::any_of(events_, [&](auto& event) {
          return event.key == "tracked_stats" && event.counts.step.value_or(0) > steps + most;
        });
    std::vector<Mark> found;
    for (const auto& event : events_) {
      const bool tracked = event.key == "tracked_stats";
      const auto& [samples, step, epochs] = event.counts;
      const auto count = step ? step : samples;
      const bool by_batch = in_samples || !step;
      if (count && (tracked || event.key == "eval_start") && (batch > 0 || !by_batch)) {
        found.push_back({since_start_s(event.time_ms), *count / (by_batch ? batch : 1),
                         tracked ? step_time(tracked_values(event)) : std::nullopt});
      }
    }
    found.insert(found.end(), ends.begin(), ends.end());
    std::ranges::stable_sort(found, {}, &Mark::at_s);
    return found;
  }

  using Values = std::vector<std::pair<std::string, double>>;

  /// The numbers of an event tracked_stats.
  static Values tracked_values(const mllog::Event& event) {
    Values values;
    const auto object = nlohmann::json::parse(event.value, nullptr, false);
    if (object.is_object()) {
      for (const auto& [name, value] : object.items()) {
        if (value.is_number()) {
          values.emplace_back(name, value.get<double>());
        }
      }
    }
    return values;
  }

  static std::optional<double> step_time(const Values& values) {
    for (const auto& [name, value] : values) {
      for (const auto* known :
           {"train_step_time", "train_step_timing", "step_time", "iteration_time"}) {
        if (name == known && value > 0) {
          return value;
        }
      }
    }
    return std::nullopt;
  }

  /// Seconds of evaluations between the two.
  double evaluations_s(double from_s, double to_s) const {
    double sum_s = 0;
    for (const auto& span : record_.spans) {
      sum_s += span.name.view() == "evaluate"
                   ? std::max(0.0, std::min(to_s, span.start_s + span.duration_s) -
                                       std::max(from_s, span.start_s))
                   : 0;
    }
    return sum_s;
  }

  /// A row for the steps between two marks of a block, with their mean unless a time is stated.
  void add_steps(const std::vector<Mark>& marks) {
    const bool states_all =
        std::ranges::any_of(marks, [](const Mark& mark) { return mark.step_s.has_value(); });
    double before = 0;  // steps of the blocks before
    auto mark = marks.begin();
    for (const auto& block : record_.epochs) {
      const double end_s = block.start_s + block.wall_s;
      const bool known = work_of_step_ > 0 && block.samples > 0;
      const double in_block = known ? steps_of(block) : std::numeric_limits<double>::infinity();
      Mark last{block.start_s, 0};
      for (; mark != marks.end() && mark->at_s <= end_s; ++mark) {
        const double steps = mark->steps - before;
        if (mark->at_s <= block.start_s || steps < last.steps + 1 || steps > in_block) {
          continue;
        }
        const double mean_s =
            (mark->at_s - last.at_s - evaluations_s(last.at_s, mark->at_s)) / (steps - last.steps);
        const double step_s = mark->step_s.value_or(mean_s);
        if (step_s > 0 && (!states_all || mark->step_s || mark->at_s >= end_s)) {
          record_.iterations.push_back({.epoch = block.epoch,
                                        .index = std::llround(steps) - 1,
                                        .start_s = std::max(0.0, mark->at_s - step_s),
                                        .step_s = step_s,
                                        .samples = std::llround(number("batch"))});
          last = {mark->at_s, std::round(steps)};
        }
      }
      before += known ? in_block : last.steps;
    }
  }

  void add_tracked() {
    constexpr std::size_t longest = 31;
    for (const auto& event : events_) {
      if (event.key != "tracked_stats") {
        continue;
      }
      const auto row = row_at(since_start_s(event.time_ms));
      for (const auto& [name, value] : tracked_values(event)) {
        if (name.size() <= longest) {
          metric(row, name, value, std::llround(event.counts.step.value_or(0)));
        }
      }
    }
  }

  void add_spans(const mllog::Intervals& intervals, const char* name) {
    std::int64_t index = 0;
    for (const auto& interval : intervals.closed) {
      record_.spans.push_back({.name = name,
                               .epoch = name == std::string_view("block") ? index : -1,
                               .start_s = since_start_s(interval.start_ms),
                               .duration_s = interval.length_s()});
      if (name == std::string_view("block") && interval.epoch) {
        record_.metrics.push_back({index, "block_number", *interval.epoch});
      }
      ++index;
    }
    if (name == std::string_view("block")) {
      parameter("block_events", std::to_string(intervals.events));
    }
  }

  void add_total() {
    const mllog::Event* start = nullptr;
    const mllog::Event* stop = nullptr;
    for (const auto& event : events_) {
      start = event.key == "run_start" && start == nullptr ? &event : start;
      stop = event.key == "run_stop" ? &event : stop;
    }
    const auto from_ms = start == nullptr ? origin_ms_ : start->time_ms;
    const auto to_ms = stop == nullptr ? events_.back().time_ms : stop->time_ms;
    const auto status = stop == nullptr ? "" : stop->status.empty() ? stop->value : stop->status;
    auto& header = record_.header;
    header.outcome = to_text(stop == nullptr       ? run::Outcome::lost
                             : status == "success" ? run::Outcome::complete
                                                   : run::Outcome::stopped);
    header.outcome_text =
        stop == nullptr ? "the log ends without run_stop" : fmt::format("run_stop: {}", status);
    parameter("status", status.empty() ? "unknown" : status);
    if (stop == nullptr && !record_.epochs.empty()) {
      add_what_follows();
    }
    if (to_ms > from_ms) {  // else one of the two stamps is wrong
      record_.spans.push_back({.name = stop == nullptr ? "cut" : forecast::total_span,
                               .epoch = -1,
                               .start_s = since_start_s(from_ms),
                               .duration_s = static_cast<double>(to_ms - from_ms) / 1000});
    }
  }

  /// What follows the last epoch that has ended, as far as the log shows it.
  void add_what_follows() {
    const auto& last = record_.epochs.back();
    const double from_s = last.start_s + length_s(record_, last);
    double until_s = since_start_s(events_.back().time_ms);
    for (const auto& event : events_) {
      const double at_s = since_start_s(event.time_ms);
      if (event.key == "epoch_start" && at_s >= from_s) {
        until_s = at_s;
        break;
      }
    }
    if (until_s > from_s) {
      record_.spans.push_back({.name = forecast::after_last_span,
                               .epoch = last.epoch,
                               .start_s = from_s,
                               .duration_s = until_s - from_s});
    }
  }

  const std::vector<mllog::Event>& events_;
  std::int64_t origin_ms_;
  double work_of_step_ = 0;  ///< Of the blocks' work; 0: not known.
  record::Record record_;
};

Imported read(const std::string& file, const ImportOptions& options) {
  const auto text = read_text_or_gzip(file);
  auto [events, remarks] = mllog::read_events(file, text);
  Imported imported{{}, std::move(remarks)};
  if (!events.empty()) {
    imported.records.push_back(
        Run(file, progress::read_whole_log(text, {.format = "mllog"}), events, options.gpu)
            .record());
  }
  return imported;
}

}  // namespace mllog_importer

ImporterSpec mllog() {
  return {.summary = "logs of MLPerf trainings: ':::MLLOG {...}' anywhere in a line",
          .read = mllog_importer::read};
}

}  // namespace epochcast::analysis::importers
