#include "analysis/import/mllog_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/import/importer.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

namespace mllog = progress::mllog;
using namespace progress::mllog;

class Blocks {
 public:
  Blocks(const std::vector<mllog::Event>& events, record::Record& record)
      : events_(events), record_(record) {}

  void add(const mllog::Intervals& blocks) {
    add_blocks(blocks);
    add_evaluations();
    add_steps(marks());
    add_tracked();
  }

 private:
  double since_start_s(std::int64_t time_ms) const {
    return static_cast<double>(time_ms - events_.front().time_ms) / 1000;
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
    record_.parameters.push_back(parameter_row("block_work", unit));
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

  const std::vector<mllog::Event>& events_;
  record::Record& record_;
  double work_of_step_ = 0;  ///< Of the blocks' work; 0: not known.
};

}  // namespace

void add_mllog_blocks(const std::vector<mllog::Event>& events, const mllog::Intervals& blocks,
                      record::Record& record) {
  Blocks(events, record).add(blocks);
}

}  // namespace epochcast::analysis
