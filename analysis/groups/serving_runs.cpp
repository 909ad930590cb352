#include "analysis/groups/serving_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/records/record_metrics.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/comparable.hpp"
#include "src/record/queries.hpp"
#include "src/record/run/short_names.hpp"
#include "src/record/serving_queries.hpp"

namespace epochcast::analysis {
namespace {

/// A load of which this program began requests so much too late that it is no longer the one asked
/// for.
constexpr double most_late_s = 0.1;

/// Runs with the parameters that their service and their kind of load are told by.
struct Sorted {
  ServingRuns runs;
  run::ParameterValues parameters;

  auto key() const {
    return std::tie(runs.by, runs.allocation, runs.device, runs.source, runs.arrivals,
                    runs.threshold_s, parameters);
  }
};

/// Why the record says nothing about a service; "": it does.
std::string fault_of_load(const record::Record& record) {
  if (record.serving_stages.empty()) {
    return "no load on a service";
  }
  try {
    (void)serve_options_of(record);
    (void)load_options_of(record);
  } catch (const Error& error) {
    return error.what();
  }
  return fault_of(record);
}

double threshold_of(const record::Record& record) {
  return parse_duration_s(record::parameter(record, "load.threshold")).value_or(0);
}

Sorted sorted_of(const record::Record& record, const std::vector<std::string>& by) {
  auto free = record::names_of({run::ParameterRole::repeat, run::ParameterRole::place});
  free.insert({"command", "load.arrivals", "load.seed", "load.stages", "load.threshold"});
  return {.runs = {.by = attributes(record, by),
                   .allocation = record.header.allocation.str(),
                   .device = device_of(record),
                   .source = record.header.source.str(),
                   .arrivals = record::parameter(record, "load.arrivals"),
                   .serve_options = serve_options_of(record),
                   .load_options = load_options_of(record),
                   .threshold_s = threshold_of(record)},
          .parameters = parameters_without(record, free)};
}

auto load_key(const record::ServingStage& stage) {
  return std::tuple(record::is_ramp(stage), stage.load_to, stage.load_from);
}

void add_counts(const record::ServingStage& stage, record::ServingStage& sum) {
  sum.duration_s += stage.duration_s;
  sum.late_s = std::max(sum.late_s, stage.late_s);
  for (const auto counter :
       {&record::ServingStage::requests, &record::ServingStage::answered,
        &record::ServingStage::texts, &record::ServingStage::refused,
        &record::ServingStage::unavailable, &record::ServingStage::other_statuses,
        &record::ServingStage::timeouts, &record::ServingStage::broken}) {
    sum.*counter += stage.*counter;
  }
}

/// What the service reported about the seconds that lie within the stage: one on its border is of
/// two stages. The second after one without metrics has the hits of both, and no share of its
/// answers.
void add_seconds(const record::Record& record, const record::ServingStage& stage,
                 ServingLoad& load) {
  constexpr double late_s = 0.1;  // of the clock that ends the seconds
  const auto known = [](double value) { return std::isnan(value) ? 0 : value; };
  bool is_told = true;
  for (const auto& second : record.serving_seconds) {
    const bool was_told = std::exchange(is_told, !std::isnan(second.cache_hits));
    if (second.stage != stage.stage || second.start_s < stage.start_s - late_s ||
        second.start_s + second.duration_s > stage.start_s + stage.duration_s + late_s) {
      continue;
    }
    load.batches += known(second.batches);
    load.batch_inputs += known(second.batch_inputs);
    load.queue_sum += known(second.queue_length);
    load.queue_seconds += std::isnan(second.queue_length) ? 0 : 1;
    if (is_told && was_told) {
      load.cache_hits += second.cache_hits;
      load.answered_beside_hits += static_cast<double>(second.answered);
    }
  }
}

void add_passes(const record::Record& record, std::int64_t stage, ServingLoad& load) {
  std::ranges::copy_if(record.serving_passes, std::back_inserter(load.passes),
                       [&](const record::ServingPass& row) { return row.stage == stage; });
}

void add_stage(const record::Record& record, const record::ServingStage& stage,
               std::vector<ServingLoad>& loads) {
  auto same = std::ranges::find_if(
      loads, [&](const ServingLoad& load) { return load_key(load.sum) == load_key(stage); });
  if (same == loads.end()) {
    same = loads.insert(same, ServingLoad{});
    same->sum.load_from = stage.load_from;
    same->sum.load_to = stage.load_to;
    same->sum.load_unit = stage.load_unit;
  }
  ++same->runs;
  add_counts(stage, same->sum);
  same->latencies.add(record::latencies_of(record.serving_latencies, stage.stage));
  add_seconds(record, stage, *same);
  add_passes(record, stage.stage, *same);
}

void add_run(const LoadedRecord& loaded, ServingRuns& runs) {
  for (const auto& stage : loaded.record.serving_stages) {
    add_stage(loaded.record, stage, runs.loads);
    if (stage.late_s > most_late_s) {
      runs.marks.push_back(
          fmt::format("{}: the load generator began a request of {} {:.2f} s too late: it had too "
                      "little of a CPU",
                      loaded.path, record::load_text(stage), stage.late_s));
    }
  }
  for (const auto& metric : loaded.record.metrics) {
    if (metric.name.view() == "service_peak_memory_bytes") {
      runs.peak_memory_bytes = std::max(runs.peak_memory_bytes, metric.value);
    }
  }
}

void name_services(std::vector<Sorted>& sorted, const std::vector<std::string>& by) {
  std::vector<run::NamedWork> works;
  for (const auto& one : sorted) {
    works.push_back({one.runs.source, one.parameters});
  }
  const std::set<std::string, std::less<>> shown(by.begin(), by.end());
  const auto names = run::short_names(works, shown);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sorted[i].runs.service = names[i];
  }
}

template <class Options>
Options options_of(const record::Record& record, std::string_view prefix) {
  Options options;
  for_each_field<Options>([&](const auto& field) {
    const auto name = fmt::format("{}{}", prefix, field.name);
    const auto text = record::parameter(record, name);
    if (text.empty()) {
      return;
    }
    try {
      run::set_field_value(options, field, text);
    } catch (const Error& error) {
      throw Error(fmt::format("parameter {}: {}", name, error.what()));
    }
  });
  return options;
}

}  // namespace

double ServingLoad::answered_per_s() const {
  return sum.duration_s > 0 ? static_cast<double>(sum.answered) / sum.duration_s : 0;
}

double ServingLoad::mean_duration_s() const {
  return runs > 0 ? sum.duration_s / static_cast<double>(runs) : 0;
}

double ServingLoad::share_within(double limit_s) const {
  return record::share_within(sum, latencies, limit_s);
}

std::string ServingRuns::label() const {
  std::vector<std::string> words{allocation};
  words.insert(words.end(), by.begin(), by.end());
  words.insert(words.end(), {service, arrivals, source == "measured" ? "" : source});
  std::erase(words, "");
  return join(words, ", ");
}

ServingStudy sort_serving_runs(const std::vector<LoadedRecord>& records,
                               const std::vector<std::string>& by) {
  require_attributes(records, by);
  ServingStudy study;
  std::vector<Sorted> all;
  for (const auto& loaded : records) {
    if (const auto why = fault_of_load(loaded.record); !why.empty()) {
      study.excluded.push_back({loaded.path, why});
      continue;
    }
    auto own = sorted_of(loaded.record, by);
    auto same =
        std::ranges::find_if(all, [&](const Sorted& other) { return other.key() == own.key(); });
    if (same == all.end()) {
      same = all.insert(same, std::move(own));
    }
    add_run(loaded, same->runs);
  }
  name_services(all, by);
  for (auto& one : all) {
    std::ranges::sort(one.runs.loads, {},
                      [](const ServingLoad& load) { return load_key(load.sum); });
    study.runs.push_back(std::move(one.runs));
  }
  std::ranges::stable_sort(study.runs, {}, [](const ServingRuns& runs) {
    return std::tuple(runs.allocation, natural_keys(runs.by), natural_key(runs.service),
                      runs.arrivals);
  });
  return study;
}

BreakingLoad breaking_load(const ServingRuns& runs) {
  BreakingLoad result;
  for (const auto& load : runs.loads) {
    if (record::is_ramp(load.sum) || load.sum.requests == 0) {
      continue;
    }
    if (load.share_within(runs.threshold_s) < share_to_keep) {
      result.first_broken = &load;
      break;
    }
    result.highest_kept = &load;
  }
  return result;
}

run::ServeOptions serve_options_of(const record::Record& record) {
  return options_of<run::ServeOptions>(record, "serve.");
}

run::LoadOptions load_options_of(const record::Record& record) {
  return options_of<run::LoadOptions>(record, "load.");
}

}  // namespace epochcast::analysis
