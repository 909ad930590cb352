#include "analysis/plot_parts/run_kinds.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/records/comparable.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/core/text.hpp"
#include "src/run/short_names.hpp"

namespace epochcast::analysis {
namespace {

/// What runs of one kind have in common.
struct KindKey {
  std::string place;  ///< Allocation, device, source and the attributes in `by`.
  run::ParameterValues parameters;

  auto operator<=>(const KindKey&) const = default;
};

std::string place_text(const record::Record& record, const std::vector<std::string>& by) {
  auto text = record.header.allocation.str();
  for (const auto& value : attributes(record, by)) {
    text += value.empty() ? "" : ", " + value;
  }
  const auto device = device_of(record);
  text += device == "cpu" || device.empty() ? "" : " (" + device + ")";
  const auto source = record.header.source.str();
  return source == "measured" || source.empty() ? text : text + " (" + source + ")";
}

}  // namespace

RunKinds kinds_of_runs(const std::vector<LoadedRecord>& records,
                       const std::vector<std::string>& by) {
  for (const auto& name : by) {
    require_attribute(records, name);
  }
  std::vector<KindKey> keys;
  for (const auto& loaded : records) {
    keys.push_back({place_text(loaded.record, by),
                    parameters_without(loaded.record, names_of({run::ParameterRole::repeat,
                                                                run::ParameterRole::place}))});
  }
  auto kinds = keys;
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  std::vector<run::NamedWork> works;
  std::map<std::string, std::size_t> of_place;
  for (const auto& kind : kinds) {
    works.push_back({kind.place, kind.parameters});
    ++of_place[kind.place];
  }
  const auto shorts = run::short_names(works, {by.begin(), by.end()});
  std::vector<std::pair<NaturalKey, std::size_t>> order;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool alone = of_place[kinds[i].place] == 1 || shorts[i].empty();
    names.push_back(alone ? kinds[i].place : kinds[i].place + ", " + shorts[i]);
    order.emplace_back(natural_key(names.back()), i);
  }
  std::ranges::sort(order);
  RunKinds result;
  std::vector<std::size_t> place_of(kinds.size());
  for (const auto& [key, i] : order) {
    place_of[i] = result.names.size();
    result.names.push_back(names[i]);
  }
  for (const auto& key : keys) {
    const auto found = std::ranges::lower_bound(kinds, key);
    result.kind.push_back(place_of[static_cast<std::size_t>(found - kinds.begin())]);
  }
  return result;
}

}  // namespace epochcast::analysis
