#include "src/measure/progress/reading/bar_series.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/values.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/plain_line.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_series = 128;
constexpr int numbered_rank = 4;

/// What bars before, between and after a training are of.
const RegularExpression& other_things() {
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:token|map|filter|load|scan|download|fetch|extract|cach|preproc|process)"
      R"(|generat|resolv|sav|writ|copy|upload|read|convert|build|creat|index|shuffl|pack|group)"
      R"(|compil|collat|encod|embed|inferen|sampl|prepar|unzip|unpack|check|comput|merg|quant)"
      R"(|calibr|export|split|count|pars|import|init|warm|plot|render|cast|running tok|setting)"
      R"(|pre-|flatten|crawl|search|verify|hash|moving|gather|sanity|dataset|shard|vocab|augment))"
      R"(|^\s*(?:start|stop|spawn|launch|shut))");
  return form;
}

int series_rank(const Bar& bar, bool numbered, const std::vector<NamedValue>& values) {
  static const RegularExpression training(
      R"((?i)(?<![a-z])(?:train|epoch|fit|step|iter|batch|optim|learn))");
  static const RegularExpression loss(R"((?i)loss|acc|^lr$|ppl|^err|grad|mse|elbo|reward)");
  if (of_evaluation(bar.description)) {
    return -1;
  }
  if (numbered) {
    return numbered_rank;
  }
  if (std::ranges::any_of(values,
                          [](const auto& value) { return loss.find(value.name).has_value(); })) {
    return 3;
  }
  return other_things().find(bar.description) ? -2
         : training.find(bar.description)     ? 2
         : trim(bar.description).empty()      ? 1
                                              : 0;
}

/// A bar begins again: with less done, in less time. Bars of other ranks are a step or two apart.
/// One that is whole, and drawn again after another bar of `between_s`, took that time as well.
bool is_new_bar(const BarSeries& series, const Bar& bar, double between_s) {
  const auto& last = series.last;
  if (bar.total && bar.done == *bar.total && last.done == *bar.total) {
    return bar.elapsed_s + 2 < last.elapsed_s + between_s;
  }
  const bool far = last.done - bar.done > 3 || (bar.total && last.done == *bar.total);
  return bar.done < last.done && far && bar.done * 2 <= last.done &&
         bar.elapsed_s * 2 <= last.elapsed_s + 2;
}

/// A drawing of another rank's bar, which is over here: nearly all is done too soon. Not of bars
/// that are drawn at their begin and end only.
bool is_stray(const BarSeries& series, const Line& line, const Bar& bar) {
  constexpr std::int64_t few = 3;
  if (!series.last_of_before || series.drawn <= few * series.bars || series.last.done > 3 ||
      bar.done + 3 < series.last_of_before->done || bar.done <= 3 ||
      (bar.done - series.last.done) * 2 <= series.last_of_before->done) {
    return false;
  }
  return line.timed ? line.at_s - series.began_s < 0.3 * series.before_s
                    : series.last_of_before->elapsed_s >= 3 &&
                          std::abs(bar.elapsed_s - series.last_of_before->elapsed_s) <= 1;
}

/// How long a whole bar of it took.
double took_s(const BarSeries& series) {
  return series.last_of_before ? std::max(series.before_s, series.last_of_before->elapsed_s)
                               : std::max(series.last_s - series.began_s, series.last.elapsed_s);
}

}  // namespace

std::vector<NamedValue> bar_values(const Bar& bar) {
  std::vector<NamedValue> values;
  for (const auto text : {bar.postfix, bar.description}) {
    for (auto& value : named_values(text, false)) {
      if (to_lower(value.name).find("epoch") == std::string::npos) {
        values.push_back(std::move(value));
      }
    }
  }
  return values;
}

BarSeriesSet::Place BarSeriesSet::add(const Line& line, const Bar& bar) {
  const auto number = epoch_in(bar.description);
  const auto key =
      shape_of(bar.description) + "|" + (bar.total && !number ? std::to_string(*bar.total) : "");
  if (series_.size() >= most_series && !series_.contains(key)) {
    return {};
  }
  const auto [found, is_first] = series_.try_emplace(key);
  auto& series = found->second;
  const auto values = bar_values(bar);
  if (is_first) {
    series.key = key;
    static const RegularExpression learning(
        R"((?i)(?<![a-z])(?:train|fit|optim|learn|updat|backprop))");
    series.order = series_.size();
    series.prepares = other_things().find(bar.description).has_value();
    series.learns = learning.find(bar.description).has_value();
  }
  if (is_first || (!values.empty() && series.rank < 3)) {
    series.rank = series_rank(bar, number.has_value(), values);
  }
  const auto* before = std::exchange(drawn_last_, &series);
  const double between_s = before != nullptr && before != &series ? before->last.elapsed_s : 0;
  const bool begins =
      is_first || (number ? series.number != number->number : is_new_bar(series, bar, between_s));
  if (begins) {
    series.bars += 1;
    series.last_of_before = is_first ? std::nullopt : std::optional(series.last);
    series.before_s = is_first ? 0 : series.last_s - series.began_s;
    series.began_s = line.at_s;
    series.numbers += number && series.number != number->number ? 1 : 0;
    series.number = number ? std::optional(number->number) : std::nullopt;
  } else if (!number && is_stray(series, line, bar)) {
    return {};
  }
  const bool was_whole = !begins && bar.total && series.last.done >= *bar.total;
  series.whole += bar.total && bar.done >= *bar.total && !was_whole ? 1 : 0;
  series.last = {.done = begins ? bar.done : std::max(series.last.done, bar.done),
                 .elapsed_s = bar.elapsed_s};
  series.last_s = line.at_s;
  ++series.drawn;
  const auto value =
      std::ranges::find_if(values, [](const auto& of) { return of_evaluation(of.name); });
  if (bar.total && bar.done < *bar.total && value != values.end()) {
    series.evaluations += std::exchange(series.held_out, value->value) != value->value ? 1 : 0;
  }
  return {.series = &series, .bar = series.bars - 1};
}

bool BarSeriesSet::is_of_run(const BarSeries& series) const {
  static const RegularExpression run(
      R"((?i)^\s*(?:(?:train )?steps?|iterations|iters)\s*$|global step|training steps)");
  const auto bar = series.key.find('|');
  return run.find(std::string_view(series.key).substr(0, bar)) ||
         (run_steps_ && series.key.substr(bar + 1) == std::to_string(*run_steps_));
}

/// Of several series that look alike, the first is the training, or one that takes far longer.
const BarSeries* BarSeriesSet::longest(const BarSeries& first) const {
  constexpr double far = 3;
  const auto* best = &first;
  for (const auto& [key, series] : series_) {
    const double resolution_s = best->last_s > best->began_s || best->before_s > 0 ? 0 : 1;
    if (series.rank == first.rank && series.whole > 0 &&
        took_s(series) > far * (took_s(*best) + resolution_s)) {
      best = &series;
    }
  }
  return best;
}

std::set<const BarSeries*> BarSeriesSet::parts(const BarSeries& training) const {
  constexpr double some = 0.1;  // of the training's time; starting workers takes less
  const auto times = [](const auto& series) {
    return series.rank == numbered_rank ? series.numbers : series.bars;
  };
  std::set<const BarSeries*> found;
  for (const auto& [key, series] : series_) {
    const bool before = series.order < training.order && !series.prepares && series.whole > 0 &&
                        times(series) >= std::max<std::int64_t>(2, times(training)) &&
                        took_s(series) >= some * took_s(training);
    const bool after = series.order > training.order && series.learns && times(training) >= 2 &&
                       times(series) + 1 >= times(training);
    if (series.rank >= 0 && (before || after)) {
      found.insert(&series);
    }
  }
  return found;
}

bool BarSeriesSet::has_whole() const {
  return std::ranges::any_of(
      series_, [](const auto& entry) { return entry.second.rank >= 0 && entry.second.whole > 0; });
}

bool BarSeriesSet::has_helpers(const BarSeries& training) const {
  return training.rank == numbered_rank && std::ranges::any_of(series_, [&](const auto& entry) {
           return entry.second.rank == numbered_rank && entry.second.order < training.order;
         });
}

std::optional<const BarSeries*> BarSeriesSet::training(bool at_end, bool epochs_drawn) const {
  const BarSeries* best = nullptr;
  const BarSeries* inner = nullptr;  // the first that may be, below an outer bar
  for (const auto& [key, series] : series_) {
    const bool again = series.rank == numbered_rank ? series.numbers >= 2 : series.bars >= 2;
    const bool over_run = !again && is_of_run(series) && series.rank >= 0 && series.drawn >= 3;
    const bool enough = over_run || (at_end ? series.rank >= 1 ? again || series.whole >= 1
                                                               : again && series.rank == 0
                                            : again && series.rank >= 1);
    if (enough && (best == nullptr || std::pair(series.rank, -std::int64_t(series.order)) >
                                          std::pair(best->rank, -std::int64_t(best->order)))) {
      best = &series;
    }
    if (series.rank >= 0 && (inner == nullptr || series.rank > inner->rank)) {
      inner = &series;
    }
  }
  if (best != nullptr) {
    return best->rank == numbered_rank || best->rank == 0 ? longest(*best) : best;
  }
  return epochs_drawn && (at_end || inner != nullptr) ? std::optional(inner) : std::nullopt;
}

}  // namespace epochcast::progress
