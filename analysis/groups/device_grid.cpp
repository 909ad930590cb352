#include "analysis/groups/device_grid.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::analysis {
const record::Record& WorkloadKey::example() const {
  return *std::ranges::find_if(runs, [](const auto& some) { return !some.empty(); })->front();
}

namespace {

using Place = std::pair<std::string, std::string>;  // allocation and device

Place place_of(const record::Record& record) {
  return {record.header.allocation.str(), device_of(record)};
}

/// The settings in order, and where each stands.
std::vector<Configuration> settings_of(const std::vector<const LoadedRecord*>& records,
                                       std::map<Place, std::size_t>& index) {
  std::map<Place, Configuration> found;
  std::map<std::string, std::set<std::string>> devices;
  for (const auto* loaded : records) {
    const auto place = place_of(loaded->record);
    found.emplace(place, Configuration{.label = place.first,
                                       .allocation = place.first,
                                       .device = place.second,
                                       .gpu = used_gpu(loaded->record),
                                       .cpus = cpus_of(loaded->record)});
    devices[place.first].insert(place.second);
  }
  std::vector<Configuration> settings;
  for (auto& [place, setting] : found) {
    if (devices[place.first].size() > 1 || place.first.empty()) {
      setting.label += (place.first.empty() ? "" : " ") + place.second;
    }
    settings.push_back(std::move(setting));
  }
  std::ranges::stable_sort(settings, {}, [](const Configuration& setting) {
    return std::tuple(setting.gpu, setting.cpus, natural_key(setting.label));
  });
  for (std::size_t i = 0; i < settings.size(); ++i) {
    index[{settings[i].allocation, settings[i].device}] = i;
  }
  return settings;
}

void name_works(std::vector<WorkloadKey>& works) {
  std::vector<run::NamedWork> all;
  for (const auto& work : works) {
    all.push_back({work.task + " " + work.source, work.parameters});
  }
  const auto names = run::short_names(all, {"task", "batch", "samples_per_epoch"});
  for (std::size_t i = 0; i < works.size(); ++i) {
    works[i].name = names[i];
  }
}

/// Networks by rising size, then what else differs, then batches.
void sort_works(std::vector<WorkloadKey>& works) {
  const auto order = [](const WorkloadKey& work) {
    const auto& record = work.example();
    return std::tuple(work.task, natural_keys(work.by), record::parameter(record, "model"),
                      record.work.empty() ? 0 : record.work.front().parameter_count,
                      natural_key(work.name),
                      parse_double(record::parameter(record, "batch")).value_or(0));
  };
  std::ranges::stable_sort(
      works, [&](const WorkloadKey& a, const WorkloadKey& b) { return order(a) < order(b); });
}

/// What must be equal for two records to be of one work.
using CellKey = std::tuple<std::vector<std::string>, std::string, run::ParameterValues>;

CellKey key_of(const record::Record& record, const std::vector<std::string>& by,
               const FreeParameters& free) {
  auto without = free(record);
  without.merge(record::names_of({run::ParameterRole::place}));
  without.insert(by.begin(), by.end());
  auto parameters = effective_parameters(record, std::move(without));
  parameters["task"] = task_text(record);
  return {attributes(record, by), record.header.source.str(), std::move(parameters)};
}

/// The same with the number of samples. A run that failed before it counted them is taken to have
/// had those of the first that did.
std::vector<CellKey> keys_of(const std::vector<const LoadedRecord*>& records,
                             const std::vector<std::string>& by, const FreeParameters& free) {
  const auto samples_of = [](const record::Record& record) {
    return record.work.empty() ? 0 : record.work.front().samples_per_epoch;
  };
  std::vector<CellKey> keys;
  std::map<CellKey, std::int64_t> first_count;
  for (const auto* loaded : records) {
    keys.push_back(key_of(loaded->record, by, free));
    if (const auto samples = samples_of(loaded->record); samples > 0) {
      first_count.emplace(keys.back(), samples);
    }
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto own = samples_of(records[i]->record);
    const auto first = first_count.find(keys[i]);
    const auto samples = own > 0 || first == first_count.end() ? own : first->second;
    std::get<run::ParameterValues>(keys[i])["samples_per_epoch"] = std::to_string(samples);
  }
  return keys;
}

}  // namespace

AcrossDevices across_devices(const std::vector<const LoadedRecord*>& records,
                             const std::vector<std::string>& by, const FreeParameters& free) {
  AcrossDevices grid;
  std::map<Place, std::size_t> index;
  grid.settings = settings_of(records, index);
  const auto keys = keys_of(records, by, free);
  std::map<CellKey, std::size_t> known;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i]->record;
    const auto [place, is_new] = known.emplace(keys[i], grid.works.size());
    if (is_new) {
      const auto& [by_values, source, parameters] = keys[i];
      grid.works.push_back({by_values, source, task_text(record), "", parameters,
                            std::vector<std::vector<const record::Record*>>(grid.settings.size())});
    }
    grid.works[place->second].runs[index.at(place_of(record))].push_back(&record);
  }
  name_works(grid.works);
  sort_works(grid.works);
  return grid;
}

std::vector<SettingPair> pairs_of(const std::vector<Configuration>& settings) {
  const auto gpus = std::ranges::count_if(settings, &Configuration::gpu);
  const bool both_kinds = gpus > 0 && gpus < std::ssize(settings);
  std::vector<SettingPair> pairs;
  for (std::size_t first = 0; first < settings.size(); ++first) {
    for (auto second = first + 1; second < settings.size(); ++second) {
      if (!both_kinds || settings[first].gpu != settings[second].gpu) {
        pairs.push_back({first, second});
      }
    }
  }
  return pairs;
}

}  // namespace epochcast::analysis
