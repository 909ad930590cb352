#include "analysis/table_parts/foretold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/predict/sweep_forecast.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis {
namespace {

/// One that could have been asked before the point was run.
struct Question {
  const ScalingRuns* asked;
  std::vector<const ScalingRuns*> given;
};

std::vector<Question> questions_of(const ScalingSeries& series) {
  const double fewest = std::ranges::min_element(series.points, {}, &ScalingRuns::nodes)->nodes;
  std::vector<const ScalingRuns*> there;  // by workers, as the points are
  for (const auto& point : series.points) {
    if (point.nodes == fewest) {
      there.push_back(&point);
    }
  }
  std::vector<Question> questions;
  if (there.size() > 3) {
    questions.push_back({there.back(), {there.begin(), there.end() - 1}});
  }
  for (const auto& point : series.points) {
    if (point.nodes > fewest) {
      questions.push_back({&point, there});
    }
  }
  return questions;
}

/// "1, 2, 4 on 1".
std::string names_of(const std::vector<const ScalingRuns*>& given) {
  std::vector<std::string> names;
  for (const auto* point : given) {
    names.push_back(fmt::format("{:g}", point->workers));
  }
  return fmt::format("{} on {:g}", join(names, ", "), given.front()->nodes);
}

/// A question and its answer; speed-ups are those over the series' fewest workers.
struct ScalingCheckRow {
  std::string series;
  Question question;
  forecast::Prediction throughput;
  double base;  ///< The throughput of the fewest workers.

  double truth() const { return question.asked->throughput().median; }
  forecast::Prediction speedup() const { return throughput * (1 / base); }
};

/// Nothing where the forecast is refused.
std::optional<ScalingCheckRow> answered(const ScalingSeries& series, const Question& question) {
  std::vector<forecast::ScalingPoint> points;
  for (const auto* point : question.given) {
    points.push_back({point->workers, point->throughput().median, point->nodes});
  }
  const auto answer = forecast::scaling_forecast(
      points, {.workers = question.asked->workers, .nodes = question.asked->nodes});
  const auto* found = std::get_if<forecast::ScalingForecast>(&answer);
  if (found == nullptr) {
    return std::nullopt;
  }
  return ScalingCheckRow{series.name(), question, found->throughput,
                         series.base().throughput().median};
}

/// Below this too few are left to judge by.
constexpr std::size_t fewest_networks = 5;

/// Settled by place, before anything is looked at.
std::vector<std::size_t> three_of(const std::vector<std::size_t>& networks) {
  return {networks.front(), networks[(networks.size() - 1) / 2], networks.back()};
}

/// "2, 7, 13".
std::string names_of(const Sweep& sweep, const std::vector<std::size_t>& networks) {
  std::vector<std::string> names;
  for (const auto network : networks) {
    names.push_back(join(sweep.networks[network].options, " "));
  }
  return join(names, ", ");
}

/// Mean absolute error of the steps of the networks that were not used, in %.
table::Cell step_error(const Sweep& sweep, std::size_t column, const forecast::FittedStepLaw& law,
                       const std::vector<std::size_t>& networks,
                       const std::vector<std::size_t>& used) {
  double sum = 0;
  double count = 0;
  for (const auto network : networks) {
    const auto step = network_step(sweep, network, column);
    if (std::ranges::find(used, network) == used.end() && step) {
      sum += std::abs(law.step_s(step->setting) / step->step_s - 1);
      ++count;
    }
  }
  return count > 0 ? table::Cell(100 * sum / count) : table::Cell();
}

std::optional<double> observed(const Sweep& sweep, const ColumnPair& pair,
                               const std::vector<std::size_t>& networks) {
  std::vector<forecast::SizedRatio> ratios;
  for (const auto index : networks) {
    const auto& network = sweep.networks[index];
    ratios.push_back(
        {.size = network.parameters, .log_ratio = std::log(network.ratio(pair).value())});
  }
  const auto found = forecast::crossing(ratios);
  return found ? found->size : std::nullopt;
}

/// An end that is missing lies beyond the sweep, and holds all on its side.
bool is_inside(const forecast::CrossingInterval& interval, double value) {
  return interval.low.value_or(0) <= value && value <= interval.high.value_or(value);
}

/// What the networks that were used foretell of two columns of the sweep.
struct SweepCheckRow {
  std::string first;
  std::string second;
  std::string used;
  std::optional<double> truth;
  std::optional<SweepForecast> found = {};  ///< Nothing: refused.
  table::Cell first_error = {};
  table::Cell second_error = {};

  std::optional<double> forecast() const {
    return found && found->crossing ? found->crossing->size : std::nullopt;
  }
  std::optional<double> low_80() const { return found ? found->interval_80.low : std::nullopt; }
  std::optional<double> high_80() const { return found ? found->interval_80.high : std::nullopt; }
  table::Cell inside_80() const {
    if (!found) {
      return "refused";
    }
    return truth ? table::to_cell(is_inside(found->interval_80, *truth)) : table::Cell();
  }
};

SweepCheckRow check_row(const Sweep& sweep, const ColumnPair& pair,
                        const std::vector<std::size_t>& networks) {
  const auto used = three_of(networks);
  SweepCheckRow row{sweep.columns[pair.first].label, sweep.columns[pair.second].label,
                    names_of(sweep, used), observed(sweep, pair, networks)};
  const auto answer = sweep_forecast(sweep, pair, used);
  if (const auto* found = std::get_if<SweepForecast>(&answer)) {
    row.found = *found;
    row.first_error = step_error(sweep, pair.first, found->first.law, networks, used);
    row.second_error = step_error(sweep, pair.second, found->second.law, networks, used);
  }
  return row;
}

}  // namespace

table::Table scaling_check(const std::vector<ScalingSeries>& all) {
  using Row = ScalingCheckRow;
  std::vector<Row> rows;
  for (const auto& series : all) {
    for (const auto& question : questions_of(series)) {
      if (auto row = answered(series, question)) {
        rows.push_back(*std::move(row));
      }
    }
  }
  const table::Columns<Row> columns{
      {"series", "series", &Row::series},
      {"given", "given, on nodes", [](const Row& row) { return names_of(row.question.given); }},
      {"workers", "workers", "", 0, [](const Row& row) { return row.question.asked->workers; }},
      {"nodes", "nodes", "", 0, [](const Row& row) { return row.question.asked->nodes; }},
      {"forecast_speedup", "speed-up forecast", "", 2,
       [](const Row& row) { return row.speedup().value; }},
      {"low_80_speedup", "80% from", "", 2,
       [](const Row& row) { return row.speedup().interval_80.low; }},
      {"high_80_speedup", "to", "", 2,
       [](const Row& row) { return row.speedup().interval_80.high; }},
      {"observed_speedup", "observed", "", 2,
       [](const Row& row) { return row.truth() / row.base; }},
      {"error_percent", "error", "%", 1,
       [](const Row& row) { return 100 * (row.throughput.value / row.truth() - 1); },
       table::with_sign},
      {"inside_80", "in 80%",
       [](const Row& row) { return row.throughput.interval_80.holds(row.truth()); }}};
  return table::make_table("foretold", "What fewer workers or nodes would have foretold", columns,
                           rows);
}

table::Table sweep_check(const Sweep& sweep) {
  using Row = SweepCheckRow;
  std::vector<Row> rows;
  for (const auto& pair : comparable_pairs(sweep)) {
    if (const auto networks = networks_on_both(sweep, pair); networks.size() >= fewest_networks) {
      rows.push_back(check_row(sweep, pair, networks));
    }
  }
  const table::Columns<Row> columns{
      {"first", "first", &Row::first},
      {"second", "second", &Row::second},
      {"used", "used", &Row::used},
      {"forecast_parameters", "forecast", "", 0, &Row::forecast},
      {"low_80_parameters", "80% from", "", 0, &Row::low_80},
      {"high_80_parameters", "to", "", 0, &Row::high_80},
      {"observed_parameters", "observed", "", 0, &Row::truth},
      {"inside_80", "in 80%", &Row::inside_80},
      {"first_error_percent", "other steps, first", "%", 1, &Row::first_error},
      {"second_error_percent", "second", "%", 1, &Row::second_error}};
  auto table = table::make_table("three_networks",
                                 "What three of the networks would have foretold, in parameters",
                                 columns, rows);
  if (!rows.empty()) {
    table.notes.emplace_back(
        "from the smallest, the middle and the largest network: a step costs launching, which goes "
        "with the layers, and FLOPs at one rate; other steps: mean error of the networks not used");
  }
  return table;
}

}  // namespace epochcast::analysis
