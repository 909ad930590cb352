#include "analysis/predict/prediction_columns.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace epochcast::analysis {

using forecast::Interval;
using forecast::Prediction;

table::Columns<Prediction> interval_columns(const TimeUnit& unit) {
  table::Columns<Prediction> columns;
  for (const auto& [level, interval] :
       {std::pair{"80", &Prediction::interval_80}, std::pair{"95", &Prediction::interval_95}}) {
    for (const auto& [end, heading, side] :
         {std::tuple{"low", level + std::string("% from"), &Interval::low},
          std::tuple{"high", std::string("to"), &Interval::high}}) {
      columns.add({fmt::format("{}_{}_{}", end, level, unit.name), heading, unit.name,
                   unit.decimals, [=, interval = interval, side = side](const Prediction& of) {
                     return table::known_cell(unit.per_second * (of.*interval).*side);
                   }});
    }
  }
  return columns;
}

table::Columns<Prediction> prediction_columns(const std::string& key, const std::string& heading,
                                              const TimeUnit& unit) {
  table::Columns<Prediction> columns{
      {fmt::format("{}_{}", key, unit.name), heading, unit.name, unit.decimals,
       [=](const Prediction& of) { return unit.per_second * of.value; }}};
  return columns.add(interval_columns(unit));
}

}  // namespace epochcast::analysis
