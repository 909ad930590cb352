// What a run used of its site, and what the site charges for it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "src/record/record.hpp"
#include "src/run/prices.hpp"

namespace epochcast::analysis {

/// Hours of what the scheduler granted, from the start of the program to its last recorded time:
/// what the job did before and after is not in the record.
struct Usage {
  std::optional<double> wall_h;     ///< std::nullopt: no time was recorded.
  std::optional<double> cpu_hours;  ///< std::nullopt: the number of CPUs is not recorded.
  std::optional<double> gpu_hours;
  std::optional<double> node_hours;
  bool granted = false;  ///< CPUs and GPUs of the job; otherwise those that the computation used.
};

Usage usage_of(const record::Record& record);

/// The prices in the record; none if it has none or if they cannot be read.
run::Prices prices_of(const record::Record& record);

/// The usage at those prices; std::nullopt if there is no price, or if a priced number is not
/// known.
std::optional<double> money_of(const Usage& usage, const run::Prices& prices);

/// "0.01 EUR a CPU-hour, 0.5 EUR a GPU-hour"; "" without prices.
std::string price_text(const run::Prices& prices);

}  // namespace epochcast::analysis
