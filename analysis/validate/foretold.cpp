#include "analysis/validate/foretold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/predict/sweep_forecast.hpp"
#include "src/base/core/text.hpp"

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

void add_row(table::Table& table, const ScalingSeries& series, const Question& question) {
  std::vector<forecast::ScalingPoint> points;
  for (const auto* point : question.given) {
    points.push_back({point->workers, point->throughput().median, point->nodes});
  }
  const auto answer = forecast::scaling_forecast(
      points, {.workers = question.asked->workers, .nodes = question.asked->nodes});
  const auto* found = std::get_if<forecast::ScalingForecast>(&answer);
  if (found == nullptr) {
    return;
  }
  const double one = series.base().throughput().median;
  const double truth = question.asked->throughput().median;
  const auto speedup = found->throughput * (1 / one);
  table.rows.push_back({series.name(), names_of(question.given), question.asked->workers,
                        question.asked->nodes, speedup.value, speedup.interval_80.low,
                        speedup.interval_80.high, truth / one,
                        100 * (found->throughput.value / truth - 1),
                        found->throughput.interval_80.holds(truth) ? "yes" : "no"});
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

table::Row row_of(const Sweep& sweep, const ColumnPair& pair,
                  const std::vector<std::size_t>& networks) {
  const auto used = three_of(networks);
  table::Row row{sweep.columns[pair.first].label, sweep.columns[pair.second].label,
                 names_of(sweep, used)};
  const auto answer = sweep_forecast(sweep, pair, used);
  const auto truth = observed(sweep, pair, networks);
  if (std::holds_alternative<forecast::Refusal>(answer)) {
    row.insert(row.end(), {table::Cell(), table::Cell(), table::Cell(), table::cell_of(truth),
                           "refused", table::Cell(), table::Cell()});
    return row;
  }
  const auto& found = std::get<SweepForecast>(answer);
  row.insert(row.end(), {found.crossing ? table::cell_of(found.crossing->size) : table::Cell(),
                         table::cell_of(found.interval_80.low),
                         table::cell_of(found.interval_80.high), table::cell_of(truth),
                         truth ? table::Cell(is_inside(found.interval_80, *truth) ? "yes" : "no")
                               : table::Cell(),
                         step_error(sweep, pair.first, found.first.law, networks, used),
                         step_error(sweep, pair.second, found.second.law, networks, used)});
  return row;
}

}  // namespace

table::Table scaling_check(const std::vector<ScalingSeries>& all) {
  auto error = table::number_column("error_percent", "error", "%", 1);
  error.always_sign = true;
  table::Table table{
      .name = "foretold",
      .title = "What fewer workers or nodes would have foretold",
      .columns = {table::text_column("series", "series"),
                  table::text_column("given", "given, on nodes"),
                  table::number_column("workers", "workers", "", 0),
                  table::number_column("nodes", "nodes", "", 0),
                  table::number_column("forecast_speedup", "speed-up forecast", "", 2),
                  table::number_column("low_80_speedup", "80% from", "", 2),
                  table::number_column("high_80_speedup", "to", "", 2),
                  table::number_column("observed_speedup", "observed", "", 2), error,
                  table::text_column("inside_80", "in 80%")}};
  for (const auto& series : all) {
    for (const auto& question : questions_of(series)) {
      add_row(table, series, question);
    }
  }
  return table;
}

table::Table sweep_check(const Sweep& sweep) {
  table::Table table{
      .name = "three_networks",
      .title = "What three of the networks would have foretold, in parameters",
      .columns = {table::text_column("first", "first"), table::text_column("second", "second"),
                  table::text_column("used", "used"),
                  table::number_column("forecast_parameters", "forecast", "", 0),
                  table::number_column("low_80_parameters", "80% from", "", 0),
                  table::number_column("high_80_parameters", "to", "", 0),
                  table::number_column("observed_parameters", "observed", "", 0),
                  table::text_column("inside_80", "in 80%"),
                  table::number_column("first_error_percent", "other steps, first", "%", 1),
                  table::number_column("second_error_percent", "second", "%", 1)}};
  for (const auto& pair : comparable_pairs(sweep)) {
    if (const auto networks = networks_on_both(sweep, pair); networks.size() >= fewest_networks) {
      table.rows.push_back(row_of(sweep, pair, networks));
    }
  }
  if (!table.rows.empty()) {
    table.notes.emplace_back(
        "from the smallest, the middle and the largest network: a step costs launching, which goes "
        "with the layers, and FLOPs at one rate; other steps: mean error of the networks not used");
  }
  return table;
}

}  // namespace epochcast::analysis
