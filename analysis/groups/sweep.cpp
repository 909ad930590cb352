#include "analysis/groups/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

/// The model and its options, where the records differ in them.
std::vector<std::string> swept_options(const std::vector<LoadedRecord>& records,
                                       const std::vector<std::string>& by) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& [path, record] : records) {
    for (const auto& row : record.parameters) {
      if (row.name == "model" || row.name.view().starts_with("model.")) {
        values[row.name.str()].insert(row.value.str());
      }
    }
  }
  std::vector<std::string> swept;
  for (const auto& [name, different] : values) {
    if (different.size() > 1 && std::find(by.begin(), by.end(), name) == by.end()) {
      swept.push_back(name);
    }
  }
  return swept;
}

double parameters_of(const record::Record& record) {
  return record.work.empty() ? 0 : static_cast<double>(record.work.front().parameter_count);
}

/// Sorts the groups of a study into networks and columns.
class SweepBuilder {
 public:
  SweepBuilder(const std::vector<LoadedRecord>& records, Sweep& sweep) : sweep_(sweep) {
    for (const auto& [path, record] : records) {
      paths_[&record] = path;
    }
  }

  void add(const RunGroup& group) {
    for (const auto& [epochs, runs] : group.by_epochs) {
      for (const auto* run : runs) {
        if (epochs != sweep_.epochs) {
          leave_out(*run, fmt::format("{} epochs, most runs had {}", epochs, sweep_.epochs));
        } else if (!(parameters_of(*run) > 0)) {
          leave_out(*run, "does not state its number of parameters");
        } else {
          network_of(group, *run).runs[column_of(group)].push_back(run);
        }
      }
    }
  }

  void finish() {
    if (!sweep_.is_of_one_source()) {
      for (auto& column : sweep_.columns) {
        column.label += " (" + column.source + ")";
      }
    }
    for (auto& network : sweep_.networks) {
      network.runs.resize(sweep_.columns.size());
    }
    std::stable_sort(sweep_.networks.begin(), sweep_.networks.end(),
                     [](const auto& a, const auto& b) { return a.parameters < b.parameters; });
  }

 private:
  void leave_out(const record::Record& record, std::string reason) {
    sweep_.excluded.push_back({paths_.at(&record), std::move(reason)});
  }

  std::ptrdiff_t options() const { return std::ssize(sweep_.options); }

  SweptNetwork& network_of(const RunGroup& group, const record::Record& record) {
    const std::vector values(group.by.begin(), group.by.begin() + options());
    const auto found = std::find_if(
        sweep_.networks.begin(), sweep_.networks.end(), [&](const SweptNetwork& network) {
          return network.options == values && network.parameters == parameters_of(record);
        });
    auto& network =
        found != sweep_.networks.end()
            ? *found
            : sweep_.networks.emplace_back(SweptNetwork{values, parameters_of(record), {}});
    network.runs.resize(std::max(network.runs.size(), column_of(group) + 1));
    return network;
  }

  std::size_t column_of(const RunGroup& group) {
    const std::vector by(group.by.begin() + options(), group.by.end());
    auto parts = by;
    parts.insert(parts.begin(), group.allocation);
    const SweepColumn own{join(parts, " "), group.device, by, group.source};
    const auto found = std::find(sweep_.columns.begin(), sweep_.columns.end(), own);
    if (found != sweep_.columns.end()) {
      return static_cast<std::size_t>(found - sweep_.columns.begin());
    }
    sweep_.columns.push_back(own);
    return sweep_.columns.size() - 1;
  }

  Sweep& sweep_;
  std::map<const record::Record*, std::string> paths_;
};

std::int64_t most_common_epochs(const Study& study) {
  std::map<std::int64_t, std::size_t> counts;
  for (const auto& group : study.groups) {
    for (const auto& [epochs, runs] : group.by_epochs) {
      counts[epochs] += runs.size();
    }
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
      });
  return most == counts.end() ? 0 : most->first;
}

}  // namespace

std::vector<ColumnPair> comparable_pairs(const Sweep& sweep) {
  std::vector<ColumnPair> pairs;
  for (std::size_t first = 0; first < sweep.columns.size(); ++first) {
    for (auto second = first + 1; second < sweep.columns.size(); ++second) {
      const auto& a = sweep.columns[first];
      const auto& b = sweep.columns[second];
      if (a.by == b.by && a.source == b.source) {
        pairs.push_back({first, second});
      }
    }
  }
  return pairs;
}

std::vector<double> SweptNetwork::totals_s(std::size_t column) const {
  return mapped(runs[column], [](const auto* run) { return total_training_s(*run).value(); });
}

std::optional<Summary> SweptNetwork::total_s(std::size_t column) const {
  return summarize(totals_s(column));
}

std::optional<double> SweptNetwork::ratio(const ColumnPair& pair) const {
  const auto first = total_s(pair.first);
  const auto second = total_s(pair.second);
  return first && second ? std::optional(first->median / second->median) : std::nullopt;
}

bool Sweep::is_of_one_source() const {
  return std::ranges::all_of(
      columns, [&](const SweepColumn& column) { return column.source == columns.front().source; });
}

std::string Sweep::source_remark() const {
  const bool remarkable =
      !columns.empty() && is_of_one_source() && columns.front().source != "measured";
  return remarkable ? " (" + columns.front().source + ")" : "";
}

std::optional<Scatter> Sweep::scatter(std::size_t column) const {
  const auto measurements =
      mapped(networks, [&](const auto& network) { return network.totals_s(column); });
  return pooled_scatter(measurements);
}

Sweep sweep_of(const std::vector<LoadedRecord>& records, const std::vector<std::string>& by) {
  Sweep sweep;
  sweep.options = swept_options(records, by);
  auto names = sweep.options;
  names.insert(names.end(), by.begin(), by.end());
  const auto study = sort_runs(records, names, OtherWork::leave_out);
  sweep.epochs = most_common_epochs(study);
  sweep.excluded = study.excluded;
  SweepBuilder sorter(records, sweep);
  for (const auto& group : study.groups) {
    sorter.add(group);
    if (!group.chosen.empty() &&
        std::ranges::find(sweep.chosen, group.chosen) == sweep.chosen.end()) {
      sweep.chosen.push_back(group.chosen);
    }
  }
  sorter.finish();
  return sweep;
}

}  // namespace epochcast::analysis
