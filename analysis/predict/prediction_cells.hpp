// Predictions in tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/forecast/run/prediction.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

/// Seconds to one decimal: "KEY_s".
table::Column seconds_column(const std::string& key, const std::string& heading);

/// The columns, then the ends of the 80 and the 95 % interval in the unit of the last one
/// ("low_80_s"), then the rest.
std::vector<table::Column> with_intervals(std::vector<table::Column> columns,
                                          const std::vector<table::Column>& rest = {});

/// The cells of such a row; those of the intervals are empty without a prediction.
table::Row with_intervals(table::Row cells, const std::optional<forecast::Prediction>& prediction,
                          const table::Row& rest = {});

}  // namespace epochcast::analysis
