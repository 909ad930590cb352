#include "src/forecast/run/reference_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/base/core/text.hpp"
#include "src/forecast/run/gaps.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/measure/telemetry/disturbance.hpp"
#include "src/record/queries.hpp"

namespace epochcast::forecast {
namespace {

/// Parameters with which importers name a run and where it ran (mllog.cpp, imported_rows.cpp).
const record::ParameterNames& names_of_runs() {
  static const record::ParameterNames names{"run",     "path",      "submitter",    "system",
                                            "scaling", "origin_ms", "epoch_events", "block_events"};
  return names;
}

run::ParameterValues program_parameters(const record::Record& record,
                                        const record::ParameterNames& may_differ) {
  auto parameters = epoch_parameters(record);
  std::erase_if(parameters, [&](const auto& parameter) {
    return names_of_runs().contains(parameter.first) || may_differ.contains(parameter.first);
  });
  return parameters;
}

std::string system_of_record(const record::Record& record) {
  const auto allocation = record.header.allocation.str();
  const auto ranks = std::max<std::size_t>(1, record.machines.size());
  const auto host = record.machines.empty() ? "" : record.machines.front().host.str();
  return fmt::format("{}, {}, {}", allocation.empty() ? host : allocation, device_of(record),
                     counted(ranks, "process"));
}

bool is_same_run(const record::LoadedRecord& a, const record::LoadedRecord& b) {
  std::error_code ignored;
  const auto& one = a.record.header;
  const auto& other = b.record.header;
  return std::filesystem::equivalent(a.path, b.path, ignored) ||
         (one.point.view() == other.point.view() && one.job_id.view() == other.job_id.view() &&
          one.created_at.view() == other.created_at.view());
}

double samples_of_epoch(const record::Record& record) {
  return record.work.empty() ? 0 : static_cast<double>(record.work.front().samples_per_epoch);
}

/// Why the record does not hold a whole run, or "".
std::string why_not_whole(const record::Record& record) {
  if (auto fault = fault_of(record); !fault.empty()) {
    return fault;
  }
  if (record.epochs.empty()) {
    return "it has no epochs";
  }
  if (auto disturbance = telemetry::disturbance_text(record); !disturbance.empty()) {
    return "disturbed: " + disturbance;
  }
  for (std::size_t i = 0; i < record.epochs.size(); ++i) {
    if (record.epochs[i].epoch != static_cast<std::int64_t>(i)) {
      return fmt::format("its epoch {} is missing", i + 1);
    }
  }
  return "";
}

std::string why_not_related(const record::LoadedRecord& pilot, const record::LoadedRecord& other,
                            const record::ParameterNames& may_differ) {
  if (is_same_run(pilot, other)) {
    return "it is the run itself";
  }
  if (auto fault = why_not_whole(other.record); !fault.empty()) {
    return fault;
  }
  const auto own = program_parameters(other.record, may_differ);
  const auto wanted = program_parameters(pilot.record, may_differ);
  if (own != wanted) {
    return record::difference(own, wanted, "--may-differ NAME allows it");
  }
  const double samples = samples_of_epoch(other.record);
  const double wanted_samples = samples_of_epoch(pilot.record);
  if (samples > 0 && wanted_samples > 0 && samples != wanted_samples) {
    return fmt::format("{:g} samples in an epoch, not {:g}", samples, wanted_samples);
  }
  return "";
}

double end_of_epoch_s(const record::Epoch& epoch) {
  return epoch.start_s + epoch.wall_s;
}

/// The end of the run: of the last that was recorded.
double end_of_run_s(const record::Record& record) {
  const auto& last = record.epochs.back();
  double end_s = end_of_epoch_s(last) + last.evaluate_s + last.checkpoint_s;
  for (const auto& span : record.spans) {
    // Some sources print a total without saying when it began.
    if (span.name.view() != total_span || span.start_s > 0) {
      end_s = std::max(end_s, span.start_s + span.duration_s);
    }
  }
  return end_s;
}

ReferenceRun relative_of_record(const record::Record& record) {
  ReferenceRun reference{.system = system_of_record(record), .epoch_s = {}, .gaps_s = {}};
  KernelChoices choices;
  for (const auto& span : record.spans) {
    choices.add(span);
  }
  for (std::size_t i = 0; i < record.epochs.size(); ++i) {
    const auto& epoch = record.epochs[i];
    reference.epoch_s.push_back(epoch.wall_s);
    if (i + 1 < record.epochs.size()) {
      reference.gaps_s.push_back(
          between_epochs_s(epoch, record.epochs[i + 1], choices.seconds(epoch.epoch)));
    }
  }
  reference.end_s = std::max(0.0, end_of_run_s(record) - end_of_epoch_s(record.epochs.back()));
  return reference;
}

/// The epochs of the record as a series; std::nullopt if the length is not known in epochs.
std::optional<RunSeries> epochs_seen(record::Record record, const RunLength& length) {
  record.iterations.clear();
  const auto per_epoch = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  return length.steps > 0 && per_epoch <= 0 ? std::nullopt
                                            : std::optional(series_of(record, length));
}

}  // namespace

std::vector<RelatedRecord> reference_records(const record::LoadedRecord& pilot,
                                             const std::vector<record::LoadedRecord>& candidates,
                                             const record::ParameterNames& may_differ) {
  std::vector<RelatedRecord> all;
  for (const auto& other : candidates) {
    auto& related = all.emplace_back();
    related.path = other.path;
    related.system = system_of_record(other.record);
    related.epochs = static_cast<double>(other.record.epochs.size());
    related.left_out = why_not_related(pilot, other, may_differ);
    if (related.left_out.empty()) {
      related.whole = relative_of_record(other.record);
    }
  }
  return all;
}

std::vector<ReferenceRun> reference_runs_among(const std::vector<RelatedRecord>& all) {
  std::vector<ReferenceRun> reference_runs;
  for (const auto& related : all) {
    if (related.left_out.empty()) {
      reference_runs.push_back(related.whole);
    }
  }
  return reference_runs;
}

bool states_its_program(const record::Record& record, const record::ParameterNames& may_differ) {
  return !program_parameters(record, may_differ).empty();
}

std::variant<FromReferenceRuns, Refusal> forecast_from_records(
    const record::Record& pilot, const RunLength& length,
    const std::vector<ReferenceRun>& reference_runs, const std::optional<Forecast>& without) {
  if (reference_runs.empty()) {
    return Refusal{"none of the runs given is one of the same program"};
  }
  const auto seen = epochs_seen(pilot, length);
  if (!seen) {
    return Refusal{
        "the length is given in steps, and the record does not state the steps of an epoch; give "
        "--epochs N"};
  }
  return forecast_from_reference_runs(*seen, reference_runs, without);
}

}  // namespace epochcast::forecast
