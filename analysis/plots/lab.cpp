// The lab's own figure: what 1 epoch times N foretold beside what N epochs took, an allocation.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/groups/run_groups.hpp"
#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/run_kinds.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::plots {
namespace lab_plot {

/// A group of runs at one number of epochs: a pair of bars.
struct Pair {
  const RunGroup* group;
  std::int64_t epochs;
};

std::vector<Pair> pairs_of(const Study& study) {
  std::vector<Pair> pairs;
  for (const auto& group : study.groups) {
    for (const auto& [epochs, runs] : group.by_epochs) {
      if (epochs != 1) {
        pairs.push_back({&group, epochs});
      }
    }
  }
  return pairs;
}

/// The number of epochs that all pairs have; 0: they differ.
std::int64_t common_epochs(const std::vector<Pair>& pairs) {
  const auto first = pairs.front().epochs;
  const bool same =
      std::ranges::all_of(pairs, [&](const Pair& pair) { return pair.epochs == first; });
  return same ? first : 0;
}

/// "cpu2, N = 5 (+13.2 %)".
std::string name_of(const Pair& pair, bool with_epochs, bool with_source) {
  auto name = with_source ? pair.group->label()
                          : join({pair.group->allocation, join(pair.group->by, " ")}, " ");
  name = trim(name);
  if (!pair.group->chosen.empty()) {
    name += " " + pair.group->chosen;
  }
  if (with_epochs) {
    name += fmt::format(", N = {}", pair.epochs);
  }
  if (const auto predicted = pair.group->predicted_s(pair.epochs)) {
    const double error = 100 * (*predicted / pair.group->total_s(pair.epochs)->median - 1);
    name += fmt::format(" ({}{} %)", error > 0 ? "+" : "", format_fixed(error, 1));
  }
  return name;
}

void add_predicted(plot::Series& series, const Pair& pair, double x) {
  if (!pair.group->predicted_s(pair.epochs)) {
    return;
  }
  auto totals = pair.group->totals_s(1);
  for (double& total : totals) {
    total *= static_cast<double>(pair.epochs);
  }
  series.points.push_back(repeats_point(x, totals));
}

std::string runs_text(const std::vector<Pair>& pairs) {
  std::size_t ones = 0;
  std::size_t many = 0;
  for (const auto& pair : pairs) {
    ones += pair.group->runs(1).size();
    many += pair.group->runs(pair.epochs).size();
  }
  return fmt::format("n = {} of 1 epoch and {} of N", counted(ones, "run"), many);
}

void add_bars(plot::Chart& chart, const std::vector<Pair>& pairs, bool with_source) {
  const auto common = common_epochs(pairs);
  const auto count = common > 0 ? fmt::format("{}", common) : "N";
  chart.title = fmt::format("Training time: 1 epoch × {} and {} epochs", count, count);
  using Kind = plot::Series::Kind;
  plot::Series predicted{
      .name = fmt::format("1 epoch × {}", count), .kind = Kind::bars, .values = true};
  plot::Series actual{
      .name = fmt::format("{} epochs, as run", count), .kind = Kind::bars, .values = true};
  for (const auto& pair : pairs) {
    const auto x = static_cast<double>(chart.x.categories.size());
    chart.x.categories.push_back(name_of(pair, common == 0, with_source));
    add_predicted(predicted, pair, x);
    actual.points.push_back(repeats_point(x, pair.group->totals_s(pair.epochs)));
  }
  chart.series = {std::move(predicted), std::move(actual)};
}

plot::Chart chart_of(const std::vector<Pair>& pairs, const std::string& name,
                     const std::vector<LoadedRecord>& records) {
  plot::Chart chart{
      .name = name,
      .title = "Training time: 1 epoch × N and N epochs",
      .x = {.label = "allocation (error of 1 epoch × N)", .scale = plot::Axis::Scale::categories},
      .y = {.label = "training time", .unit = "s"}};
  const bool predicted = std::ranges::any_of(
      pairs, [](const Pair& pair) { return pair.group->predicted_s(pair.epochs).has_value(); });
  if (predicted) {
    add_bars(chart, pairs, several_sources(records));
    chart.subtitle =
        joined({"median and range of repeats; " + runs_text(pairs), source_words(records)});
  } else {
    chart.notes.emplace_back("no allocation has complete runs of 1 epoch and of more");
  }
  return chart;
}

bool is_on_gpu(const Pair& pair) {
  return pair.group->device != "cpu";
}

/// CPUs and GPUs each have a chart: beside CPUs, the bars of GPUs vanish.
std::vector<plot::Chart> make(const std::vector<LoadedRecord>& records,
                              const PlotOptions& options) {
  const auto study = sort_runs(records, options.by);
  auto pairs = pairs_of(study);
  const auto gpus = std::ranges::stable_partition(pairs, std::not_fn(is_on_gpu));
  std::vector<plot::Chart> charts;
  if (gpus.empty() || gpus.size() == pairs.size()) {
    charts.push_back(chart_of(pairs, "lab", records));
  } else {
    charts.push_back(chart_of({pairs.begin(), gpus.begin()}, "lab", records));
    charts.push_back(chart_of({gpus.begin(), gpus.end()}, "lab_gpu", records));
  }
  append(charts.front().notes, excluded_notes(study.excluded));
  return charts;
}

}  // namespace lab_plot

PlotSpec lab() {
  return {.summary = "1 epoch × N beside N epochs, on every allocation",
          .needs = "complete runs of 1 and of N epochs ('epochs: [1, N]' in the experiment)",
          .make = lab_plot::make};
}

}  // namespace epochcast::analysis::plots
