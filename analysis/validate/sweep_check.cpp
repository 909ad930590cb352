#include "analysis/validate/sweep_check.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/predict/sweep_forecast.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

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
