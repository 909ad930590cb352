// The same training of networks of rising size, on several allocations.
#pragma once

#include <string>
#include <vector>

#include "analysis/groups/run_groups.hpp"

namespace epochcast::analysis {

/// Two columns of a sweep that may be compared; the second has more CPUs, or a GPU.
struct ColumnPair {
  std::size_t first;
  std::size_t second;
};

struct SweptNetwork {
  std::vector<std::string> options;                      ///< Values of Sweep::options.
  double parameters = 0;                                 ///< Trainable ones, as counted.
  std::vector<std::vector<const record::Record*>> runs;  ///< By column; a column may have none.

  /// total_training_s of each of a column's runs.
  std::vector<double> totals_s(std::size_t column) const;
  /// Over those; nothing without runs.
  std::optional<Summary> total_s(std::size_t column) const;
  /// How many times as long the pair's first column takes as its second, by the medians; nothing
  /// where one of them has no runs.
  std::optional<double> ratio(const ColumnPair& pair) const;
};

/// Where and how a column's runs were made.
struct SweepColumn {
  std::string label;   ///< "cpu2", "cpu2 64" with a value of `by`; "gpu (published)" beside
                       ///< columns of another source.
  std::string device;  ///< As device_of returns it.
  std::vector<std::string> by;  ///< Columns are compared where these and the source are equal.
  std::string source;

  bool operator==(const SweepColumn&) const = default;
};

struct Sweep {
  std::vector<std::string> options;    ///< What the networks differ in: "model.depth".
  std::vector<SweepColumn> columns;    ///< CPU before GPU allocations, each by rising CPU count.
  std::vector<SweptNetwork> networks;  ///< By rising number of parameters.
  std::int64_t epochs = 0;             ///< Of all its runs: that which most of them had.
  /// What else the records vary, as chosen: "batch=100", or "" (RunGroup::chosen).
  std::vector<std::string> chosen = {};
  std::vector<ExcludedRun> excluded;

  bool is_of_one_source() const;
  /// " (published)" where all columns are of that source; "" where they were measured or differ.
  std::string source_remark() const;
  /// The scatter of repeats in a column, over all networks; empty if none was repeated.
  std::optional<Scatter> scatter(std::size_t column) const;
};

std::vector<ColumnPair> comparable_pairs(const Sweep& sweep);

/// The records that can be compared, by network and allocation; the runs of a network differ in
/// nothing but those. Networks are distinguished by their options and their number of parameters.
/// Pointers in the result go into `records`. Throws Error for an attribute in `by` that no record
/// has.
Sweep sweep_of(const std::vector<LoadedRecord>& records, const std::vector<std::string>& by);

}  // namespace epochcast::analysis
