#include "analysis/predict/prediction_cells.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace epochcast::analysis {

table::Column seconds_column(const std::string& key, const std::string& heading) {
  return table::number_column(key + "_s", heading, "s", 1);
}

std::vector<table::Column> with_intervals(std::vector<table::Column> columns,
                                          const std::vector<table::Column>& rest) {
  const auto value = columns.back();
  for (const std::string level : {"80", "95"}) {
    for (const auto& [end, heading] :
         {std::pair{"low", level + "% from"}, std::pair{"high", std::string("to")}}) {
      columns.push_back(table::number_column(fmt::format("{}_{}_{}", end, level, value.unit),
                                             heading, value.unit, value.decimals));
    }
  }
  columns.insert(columns.end(), rest.begin(), rest.end());
  return columns;
}

table::Row with_intervals(table::Row cells, const std::optional<forecast::Prediction>& prediction,
                          const table::Row& rest) {
  if (prediction) {
    const auto& [value, of_80, of_95] = *prediction;
    cells.insert(cells.end(), {of_80.low, of_80.high, of_95.low, of_95.high});
  } else {
    cells.resize(cells.size() + 4);
  }
  cells.insert(cells.end(), rest.begin(), rest.end());
  return cells;
}

}  // namespace epochcast::analysis
