// Records of a load on a service that never ran: its answers are those of the simulation that the
// forecasts use, or what a test writes into them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/import/importer.hpp"
#include "analysis/records/records.hpp"

namespace epochcast::analysis {

using ParameterTexts = std::vector<std::pair<std::string, std::string>>;

/// A complete record of task serve, without stages. `parameters` replace or join those of the load.
inline record::Record made_service(const ParameterTexts& parameters, std::int64_t repeat = 0) {
  record::Record record;
  record.header.source = "simulated";
  record.header.outcome = "complete";
  record.header.created_at = "2026-11-21T09:00:00+00:00";
  record.header.experiment = "made";
  record.header.allocation = "cpu2";
  record.header.point = "serve.r" + std::to_string(repeat);
  record.header.job_id = "1";
  std::map<std::string, std::string> all(parameters.begin(), parameters.end());
  all.insert({{"task", "serve"},
              {"model", "distilbert"},
              {"repeat", std::to_string(repeat)},
              {"load.arrivals", "poisson"},
              {"load.seed", std::to_string(repeat)},
              {"load.threshold", "2s"}});
  for (const auto& [name, value] : all) {
    record.parameters.push_back(parameter_row(name, value));
  }
  return record;
}

/// Adds a stage of `seconds` at `load` requests/s, all answered in `latency_us`. Its number.
inline std::int64_t add_stage(record::Record& record, double load, double seconds,
                              std::int64_t latency_us) {
  const auto number = std::ssize(record.serving_stages);
  record::ServingStage row{.stage = number, .duration_s = seconds};
  row.load_from = load;
  row.load_to = load;
  row.load_unit = "1/s";
  row.requests = static_cast<std::int64_t>(seconds * load);
  row.answered = row.requests;
  row.texts = row.answered;
  record.serving_stages.push_back(row);
  record.serving_latencies.push_back(
      {.stage = number, .request = "predict", .low_us = latency_us, .count = row.answered});
  return number;
}

/// Adds passes of `inputs` inputs that took launch_s + item_s inputs each.
inline void add_passes(record::Record& record, std::int64_t stage, std::int64_t inputs,
                       std::int64_t passes, double launch_s, double item_s) {
  record.serving_passes.push_back(
      {.stage = stage,
       .inputs = inputs,
       .passes = passes,
       .sum_s = static_cast<double>(passes) * (launch_s + item_s * static_cast<double>(inputs))});
}

}  // namespace epochcast::analysis
