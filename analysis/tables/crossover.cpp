// From which size of network on a larger machine pays: seconds by network and allocation, their
// ratios, and where the later of each pair of allocations overtakes the earlier one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/groups/sweep.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/scaling/crossing.hpp"
#include "src/forecast/statistics/regression.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis::tables {
namespace crossover_table {

/// A column for each option that the networks differ in: "depth" of model.depth.
table::Columns<SweptNetwork> option_columns(const Sweep& sweep, const std::string& before = "") {
  table::Columns<SweptNetwork> columns;
  for (std::size_t i = 0; i < sweep.options.size(); ++i) {
    const auto name = sweep.options[i].substr(sweep.options[i].find('.') + 1);
    const auto number = [i](const SweptNetwork& network) {
      return parse_double(network.options[i]);
    };
    if (std::ranges::all_of(sweep.networks,
                            [&](const auto& network) { return number(network).has_value(); })) {
      columns.add({name, before + name, "", table::shortest_exact, number});
    } else {
      columns.add({name, before + name, [i](const auto& network) { return network.options[i]; }});
    }
  }
  return columns;
}

bool is_repeated(const Sweep& sweep) {
  return std::ranges::any_of(sweep.networks, [](const SweptNetwork& network) {
    return std::ranges::any_of(network.runs, [](const auto& runs) { return runs.size() > 1; });
  });
}

void add_remarks(table::Table& table, const Sweep& sweep) {
  for (const auto& network : sweep.networks) {
    for (const auto& runs : network.runs) {
      for (const auto* run : runs) {
        table::add_note(table, run->header.note.str());
      }
    }
  }
}

table::Columns<SweptNetwork> columns_of(const Sweep& sweep, const std::vector<ColumnPair>& pairs,
                                        bool repeated) {
  auto columns = option_columns(sweep);
  columns.add({"parameters", "parameters", "", 0, &SweptNetwork::parameters});
  for (std::size_t i = 0; i < sweep.columns.size(); ++i) {
    const auto& label = sweep.columns[i].label;
    const auto key = file_word(label);
    columns.add({key + "_s", label, "s", 3,
                 [i](const auto& network) { return table::median_cell(network.total_s(i)); }});
    if (repeated) {
      columns.add({{key + "_runs", "runs", "", 0,
                    [i](const auto& network) { return network.runs[i].size(); }},
                   {key + "_spread_s", "spread", "s", 3,
                    [i](const auto& network) { return table::spread_cell(network.total_s(i)); }}});
    }
  }
  for (const auto& pair : pairs) {
    const auto& first = sweep.columns[pair.first].label;
    const auto& second = sweep.columns[pair.second].label;
    columns.add({file_word(first) + "_per_" + file_word(second), first + " / " + second, "", 2,
                 [pair](const auto& network) { return network.ratio(pair); }});
  }
  return columns;
}

table::Table times_of(const Sweep& sweep, const std::vector<ColumnPair>& pairs) {
  const bool repeated = is_repeated(sweep);
  auto table = table::make_table("crossover",
                                 fmt::format("Seconds of {} epochs by network and allocation{}",
                                             sweep.epochs, sweep.source_remark()),
                                 columns_of(sweep, pairs, repeated), sweep.networks);
  if (repeated) {
    table.notes.emplace_back("several runs: median; spread: largest minus smallest");
  }
  if (!sweep.chosen.empty()) {
    table.notes.push_back("restricted to: " + join(sweep.chosen, "; "));
  }
  add_remarks(table, sweep);
  return table;
}

/// The networks that both ran, as the crossing takes them.
struct Curve {
  std::vector<const SweptNetwork*> networks;
  std::vector<forecast::SizedRatio> points;
  double freedom = 0;  ///< Of the deviations; 0: one of the two was not repeated.

  bool has_interval() const { return freedom > 0 && !points.empty(); }
};

Curve curve_of(const Sweep& sweep, const ColumnPair& pair) {
  const auto first = sweep.scatter(pair.first);
  const auto second = sweep.scatter(pair.second);
  Curve curve;
  curve.freedom = first && second ? std::min(first->freedom, second->freedom) : 0;
  for (const auto& network : sweep.networks) {
    const auto ratio = network.ratio(pair);
    if (!ratio) {
      continue;
    }
    forecast::SizedRatio point{.size = network.parameters, .log_ratio = std::log(*ratio)};
    if (curve.freedom > 0) {
      point.deviation =
          std::hypot(first->deviation / median_gain(network.runs[pair.first].size()),
                     second->deviation / median_gain(network.runs[pair.second].size()));
    }
    curve.networks.push_back(&network);
    curve.points.push_back(point);
  }
  return curve;
}

std::string verdict(const Curve& curve, const std::optional<forecast::Crossing>& found) {
  if (curve.points.empty()) {
    return "no network ran on both";
  }
  if (!found) {
    return "not reached";
  }
  return found->size ? "yes" : "from the smallest on";
}

/// A pair of columns, and from which network on the second is faster.
struct Overtaking {
  std::string first;
  std::string second;
  std::string verdict;
  const SweptNetwork* from = nullptr;  ///< The first such network, if there is one.
  std::optional<double> size = {};     ///< Where both take the same.
  forecast::CrossingInterval interval = {};
};

Overtaking overtaking(const Sweep& sweep, const ColumnPair& pair) {
  const auto curve = curve_of(sweep, pair);
  const auto found = forecast::crossing(curve.points);
  Overtaking row{sweep.columns[pair.first].label, sweep.columns[pair.second].label,
                 verdict(curve, found)};
  if (found) {
    row.from = curve.networks[found->from];
    row.size = found->size;
  }
  if (curve.has_interval()) {
    row.interval = forecast::crossing_interval(curve.points,
                                               forecast::student_half_width(0.95, curve.freedom));
  }
  return row;
}

/// A note if the networks ran with different versions of a library on the two.
void add_libraries(table::Table& table, const Sweep& sweep, const ColumnPair& pair) {
  for (const auto& network : sweep.networks) {
    const auto& first = network.runs[pair.first];
    const auto& second = network.runs[pair.second];
    const auto libraries =
        first.empty() || second.empty() ? "" : different_libraries(*first.front(), *second.front());
    if (!libraries.empty()) {
      table::add_note(table, fmt::format("{}, {}: different libraries ({}), so the size is not of "
                                         "the allocations alone",
                                         sweep.columns[pair.first].label,
                                         sweep.columns[pair.second].label, libraries));
    }
  }
}

/// "cpu1 and t4", those of the pair of which nothing was run twice.
std::string not_repeated(const Sweep& sweep, const ColumnPair& pair) {
  std::vector<std::string> labels;
  for (const auto column : {pair.first, pair.second}) {
    if (!sweep.scatter(column)) {
      labels.push_back(sweep.columns[column].label);
    }
  }
  return join(labels, " and ");
}

/// What the intervals are from, and why a pair has none.
std::vector<std::string> interval_notes(const Sweep& sweep, const std::vector<ColumnPair>& pairs) {
  if (!is_repeated(sweep)) {
    return {"no interval: nothing was repeated"};
  }
  std::vector<std::string> notes;
  if (std::ranges::any_of(
          pairs, [&](const ColumnPair& pair) { return curve_of(sweep, pair).has_interval(); })) {
    notes.emplace_back("95%: from the scatter of repeats; a missing end is outside the sweep");
  }
  for (const auto& pair : pairs) {
    if (const auto once = not_repeated(sweep, pair); !once.empty()) {
      notes.push_back(fmt::format("{}, {}: no interval: no repeats on {}",
                                  sweep.columns[pair.first].label, sweep.columns[pair.second].label,
                                  once));
    }
  }
  return notes;
}

table::Table crossings_of(const Sweep& sweep, const std::vector<ColumnPair>& pairs) {
  using forecast::CrossingInterval;
  const auto rows = mapped(pairs, [&](const auto& pair) { return overtaking(sweep, pair); });
  auto network = option_columns(sweep, "from ");
  network.add({"parameters", "parameters", "", 0, &SweptNetwork::parameters});
  const table::Columns<CrossingInterval> interval{
      {"low_95_parameters", "95% from", "", 0, &CrossingInterval::low},
      {"high_95_parameters", "to", "", 0, &CrossingInterval::high}};
  table::Columns<Overtaking> columns{{"first", "first", &Overtaking::first},
                                     {"second", "second", &Overtaking::second},
                                     {"overtakes", "overtakes", &Overtaking::verdict}};
  columns.add(network, &Overtaking::from)
      .add({"interpolated_parameters", "interpolated", "", 0, &Overtaking::size})
      .add(interval, &Overtaking::interval);
  auto table = table::make_table("overtaking", "Network size from which the second is faster",
                                 columns, rows);
  if (!table.rows.empty()) {
    table.notes.emplace_back(
        "from: the smallest network from which the second is always faster; interpolated: "
        "where both take the same time, linear in the logarithms of parameters and ratio");
    for (const auto& pair : pairs) {
      add_libraries(table, sweep, pair);
    }
    const auto notes = interval_notes(sweep, pairs);
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
  }
  return table;
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  const auto sweep = sweep_of(records, options.by);
  const auto pairs = comparable_pairs(sweep);
  return not_empty(
      {times_of(sweep, pairs), crossings_of(sweep, pairs), excluded_table(sweep.excluded)});
}

}  // namespace crossover_table

TableSpec crossover() {
  return {
      .summary = "run time by network size, and the size from which a GPU or more CPUs are faster",
      .make = crossover_table::make,
      .answer = {5, "parameters", 3}};
}

}  // namespace epochcast::analysis::tables
