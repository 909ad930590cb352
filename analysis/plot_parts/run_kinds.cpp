#include "analysis/plot_parts/run_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/record/comparable.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::analysis {
namespace {

/// What runs of one kind have in common.
struct KindKey {
  std::string place;  ///< Allocation, device, source and the attributes in `by`.
  run::ParameterValues parameters;

  auto operator<=>(const KindKey&) const = default;
};

/// Seed and repeat; and how long the run was, unless its learning rate fell with that.
record::ParameterNames free_in(const record::Record& record) {
  auto free = record::names_of({run::ParameterRole::repeat, run::ParameterRole::place});
  if (record::parameter(record, "schedule") != "linear") {
    free.merge(record::names_of({run::ParameterRole::length}));
  }
  return free;
}

std::string place_text(const record::Record& record, const std::vector<std::string>& by,
                       bool with_source) {
  auto text = record.header.allocation.str();
  for (const auto& value : attributes(record, by)) {
    text += value.empty() ? "" : ", " + value;
  }
  const auto device = device_of(record);
  const bool told = device.empty() || device == "cpu" || to_lower(device) == to_lower(text);
  text += told ? "" : " (" + device + ")";
  const auto source = record.header.source.str();
  return with_source && source != "measured" && !source.empty() ? text + " (" + source + ")" : text;
}

/// The model, where the kinds of this place have several, and what else distinguishes them.
std::vector<std::string> work_texts(const std::vector<KindKey>& kinds,
                                    const std::vector<std::string>& by) {
  std::vector<run::NamedWork> works;
  std::set<std::string> models;
  for (const auto& kind : kinds) {
    works.push_back({kind.place, kind.parameters});
    const auto model = kind.parameters.find("model");
    models.insert(model == kind.parameters.end() ? "" : model->second);
  }
  const std::set<std::string, std::less<>> shown(by.begin(), by.end());
  return models.size() > 1 ? run::short_names(works, shown) : run::differences(works, shown);
}

}  // namespace

bool several_sources(const std::vector<LoadedRecord>& records) {
  return std::ranges::any_of(records, [&](const LoadedRecord& loaded) {
    return loaded.record.header.source.view() != records.front().record.header.source.view();
  });
}

namespace {

std::vector<std::string> names_of(const std::vector<KindKey>& kinds,
                                  const std::vector<std::string>& by) {
  const auto works = work_texts(kinds, by);
  const bool one_place = std::ranges::all_of(
      kinds, [&](const KindKey& kind) { return kind.place == kinds.front().place; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool with_place = !one_place || works[i].empty();
    names.push_back(!with_place        ? works[i]
                    : works[i].empty() ? kinds[i].place
                                       : kinds[i].place + ", " + works[i]);
  }
  return names;
}

}  // namespace

RunKinds kinds_of_runs(const std::vector<LoadedRecord>& records,
                       const std::vector<std::string>& by) {
  require_attributes(records, by);
  const bool with_source = several_sources(records);
  std::vector<KindKey> keys;
  for (const auto& loaded : records) {
    keys.push_back({place_text(loaded.record, by, with_source),
                    parameters_without(loaded.record, free_in(loaded.record))});
  }
  auto kinds = keys;
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  const auto names = names_of(kinds, by);
  std::vector<std::pair<NaturalKey, std::size_t>> order;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    order.emplace_back(natural_key(names[i]), i);
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

void emphasize(plot::Chart& chart, bool highest) {
  constexpr std::size_t most_kinds = 6;
  constexpr int grey = 6;
  std::map<int, std::pair<bool, double>> ends;  // by look: whether on held-out data, and the value
  for (const auto& series : chart.series) {
    if (series.kind != plot::Series::Kind::band && !series.points.empty()) {
      const double end = highest ? -series.points.back().y : series.points.back().y;
      const auto [found, is_new] = ends.try_emplace(*series.look, series.dashed, end);
      if (!is_new && series.dashed >= found->second.first) {
        const bool same = series.dashed == found->second.first;
        found->second = {series.dashed, same ? std::min(end, found->second.second) : end};
      }
    }
  }
  if (ends.size() <= most_kinds) {
    return;
  }
  auto order =
      mapped(ends, [](const auto& end) { return std::pair(end.second.second, end.first); });
  std::ranges::sort(order);
  order.resize(most_kinds);
  std::map<int, int> kept;
  for (const auto& [end, look] : order) {
    kept.emplace(look, static_cast<int>(kept.size()));
  }
  for (auto& series : chart.series) {
    const auto found = kept.find(*series.look);
    const bool is_kept = found != kept.end();
    series.look = is_kept ? found->second : grey;
    series.listed = series.listed && is_kept;
    series.faint = !is_kept;
    if (!is_kept && series.kind == plot::Series::Kind::line_points) {
      series.kind = plot::Series::Kind::line;
    }
  }
  chart.notes.push_back(fmt::format(
      "in colour: the {} of {} kinds of runs that end {}; grey: the others (--filter selects)",
      most_kinds, ends.size(), highest ? "highest" : "lowest"));
}

}  // namespace epochcast::analysis
