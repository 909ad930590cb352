#include "analysis/records/disturbed.hpp"

#include <map>
#include <utility>

#include "analysis/records/record_metrics.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {
namespace {

/// Equal for repeats of the same work on the same kind of place.
run::ParameterValues repeat_key(const record::Record& record) {
  auto key = parameters_without(record, record::names_of({run::ParameterRole::repeat}));
  key["allocation of the record"] = record.header.allocation.str();
  key["source of the record"] = record.header.source.str();
  key["device of the record"] = device_of(record);
  return key;
}

}  // namespace

std::vector<DisturbedRun> disturbed_runs(const std::vector<LoadedRecord>& records) {
  std::vector<DisturbedRun> disturbed;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (auto text = telemetry::disturbance_text(records[i].record); !text.empty()) {
      disturbed.push_back({i, std::move(text)});
    }
  }
  if (disturbed.empty()) {
    return disturbed;
  }
  std::map<run::ParameterValues, std::size_t> clean;
  auto next = disturbed.begin();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (next != disturbed.end() && next->index == i) {
      ++next;
    } else if (fault_of(records[i].record).empty()) {
      ++clean[repeat_key(records[i].record)];
    }
  }
  for (auto& run : disturbed) {
    const auto found = clean.find(repeat_key(records[run.index].record));
    run.clean_repeats = found == clean.end() ? 0 : found->second;
  }
  return disturbed;
}

std::vector<LoadedRecord> records_without(const std::vector<LoadedRecord>& records,
                                          const std::set<std::size_t>& indexes) {
  std::vector<LoadedRecord> kept;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!indexes.contains(i)) {
      kept.push_back(records[i]);
    }
  }
  return kept;
}

}  // namespace epochcast::analysis
