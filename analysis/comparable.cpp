#include "analysis/comparable.hpp"

#include <fmt/format.h>

#include <array>

#include "analysis/recorded_step.hpp"
#include "analysis/run_facts.hpp"
#include "src/core/text.hpp"

namespace epochcast {
namespace {

/// What inference does not look at; besides, all of `optimizer.*`.
constexpr std::array<std::string_view, 12> training_only{
    "optimizer",      "target_accuracy", "patience",  "warmup_epochs",
    "accumulate",     "last_batch",      "clip_norm", "schedule",
    "warmup_updates", "evaluate_every",  "best_by",   "last_update"};

std::string with_text(std::string_view word, std::string_view text) {
  return text.empty() ? std::string(word) : fmt::format("{}: {}", word, text);
}

}  // namespace

std::string fault_of(const Record& record) {
  const auto outcome = record.header.outcome.view();
  if (outcome != "complete") {
    return with_text(outcome == "running" ? "not finished" : outcome,
                     record.header.outcome_text.view());
  }
  return fault_of_attempt(record);
}

std::string fault_of_attempt(const Record& record) {
  const auto& header = record.header;
  if (!header.tainted.view().empty()) {
    return with_text("tainted", header.tainted.view());
  }
  if (!header.resumed_from.view().empty()) {
    return fmt::format("resumed from {}: its epochs ran in more than one attempt",
                       header.resumed_from.view());
  }
  if (header.restart > 0) {
    return fmt::format("requeued {} times: another start, perhaps another node", header.restart);
  }
  return "";
}

std::string fault_of_step(const Record& record) {
  if (!parse_double(parameter(record, "batch"))) {
    return "says no batch";
  }
  if (ran_out_of_memory(record)) {
    return "";
  }
  auto own = fault_of(record);
  return own.empty() && !recorded_step(record) ? "no step of it was timed" : own;
}

ParameterValues parameters_without(const Record& record,
                                   const std::set<std::string, std::less<>>& free) {
  ParameterValues parameters;
  for (const auto& row : record.parameters) {
    if (!free.contains(row.name.view())) {
      parameters[row.name.str()] = row.value.str();
    }
  }
  return parameters;
}

ParameterValues effective_parameters(const Record& record,
                                     std::set<std::string, std::less<>> free) {
  const bool infers = task_of(record) == "infer";
  if (infers) {
    free.insert(training_only.begin(), training_only.end());
  }
  auto parameters = parameters_without(record, free);
  std::erase_if(parameters, [&](const auto& parameter) {
    return infers && parameter.first.starts_with("optimizer.");
  });
  return parameters;
}

ParameterValues step_parameters(const Record& record) {
  auto parameters =
      effective_parameters(record, {"epochs", "seed", "repeat", "device", "taken_as",
                                    "max_iterations", "max_time", "patience", "target_accuracy"});
  std::erase_if(parameters, [](const auto& parameter) {  // what it learns, not how long it takes
    return parameter.first.starts_with("optimizer.");
  });
  return parameters;
}

std::string difference(const ParameterValues& own, const ParameterValues& common) {
  ParameterValues names = own;
  names.insert(common.begin(), common.end());
  const auto value = [](const ParameterValues& parameters, const std::string& name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "nothing" : found->second;
  };
  std::vector<std::string> parts;
  for (const auto& [name, unused] : names) {
    if (value(own, name) != value(common, name)) {
      parts.push_back(fmt::format("{}={}, not {}", name, value(own, name), value(common, name)));
    }
  }
  return "different parameters: " + join(parts, "; ") + " (--by or --filter tells them apart)";
}

}  // namespace epochcast
